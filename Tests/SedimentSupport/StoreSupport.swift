import Foundation
package import Sediment

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Bytes that follow from their number and a seed.
package func pattern(_ count: Int, _ seed: Int = 0) -> [UInt8] {
  var state = UInt64(truncatingIfNeeded: seed &* 0x9E37 &+ count) | 1
  var words: [UInt64] = []
  words.reserveCapacity(count / 8 + 1)
  for _ in 0...count / 8 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    words.append(state.byteSwapped)
  }
  return unsafe words.withUnsafeBytes { bytes in unsafe [UInt8](bytes[..<count]) }
}

/// Whether two values are the same; of long ones a test says it quicker than `==` does.
package func same(_ first: [UInt8]?, _ second: [UInt8]?) -> Bool {
  guard let first, let second else { return first == nil && second == nil }
  guard first.count == second.count else { return false }
  return unsafe memcmp(first, second, first.count) == 0
}

/// All of a file, of which a test that fails does not print every byte.
package struct FileImage: Equatable, CustomStringConvertible {
  package let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  package var description: String { "\(bytes.count) bytes" }

  package static func == (first: FileImage, second: FileImage) -> Bool { same(first.bytes, second.bytes) }
}

/// The bytes of a span, for what is to be kept.
package func copy(_ span: RawSpan?) -> [UInt8]? {
  if let span { [UInt8](sedimentBytes: span) } else { nil }
}

/// The code of the store's error that the body throws; nil if it throws none.
package func code(_ body: () throws -> Void) -> SedimentError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? SedimentError)?.code
  }
}

/// The same of what waits.
package func code(_ body: () async throws -> Void) async -> SedimentError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? SedimentError)?.code
  }
}

/// What a test throws through the store.
package struct Refusal: Error, Equatable {
  package init() {}
}

/// A directory on a real disk, removed with everything in it when the last reference goes.
package final class StoreDirectory: Sendable {
  package let path: String

  /// A directory for what takes many syncs lies in memory where there is such a place.
  package init(takesManySyncs: Bool = false) throws {
    let memory = "/dev/shm"
    let isThere = takesManySyncs && FileManager.default.isWritableFile(atPath: memory)
    let parent = (isThere ? memory : NSTemporaryDirectory()) as NSString
    path = parent.appendingPathComponent("sediment-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a name in it.
  package subscript(_ name: String) -> String { "\(path)/\(name)" }

  /// What is in it, sorted.
  package var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }
}

extension SedimentStatistics {
  /// The bytes of the file that are in use.
  package var usedByteCount: UInt64 { fileByteCount - freeByteCount - holeByteCount }
}
