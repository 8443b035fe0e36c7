import Foundation
import SedimentDisk

/// A fresh directory, removed with everything in it when the last reference goes.
final class TemporaryDirectory {
  let path: String

  init(in parent: String = NSTemporaryDirectory()) throws {
    path = (parent as NSString).appendingPathComponent("sediment-disk-\(UUID().uuidString)")
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// The path of a name in it.
  subscript(_ name: String) -> String { "\(path)/\(name)" }

  /// What is in it, sorted.
  var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
  }

  /// Creates a file of these contents and closes it.
  func write(_ bytes: [UInt8], to name: String) throws -> String {
    let file = try disk.open(self[name], .create)
    try file.write(bytes, at: 0)
    try file.close()
    return self[name]
  }
}

let disk = SystemDisk()
let page = UInt64(SystemDisk().pageByteCount)

extension DiskFile {
  /// Up to `count` bytes, as far as the file reaches.
  func read(_ count: Int, at offset: UInt64) throws(DiskError) -> [UInt8] {
    // Filled with what no test writes, so that bytes not read are seen.
    var bytes = [UInt8](repeating: 0xFE, count: count)
    var buffer = bytes.mutableSpan
    var raw = unsafe buffer.mutableBytes
    let done = try read(into: &raw, at: offset)
    return Array(bytes.prefix(done))
  }

  func write(_ bytes: [UInt8], at offset: UInt64) throws(DiskError) {
    unsafe try write(bytes.span.bytes, at: offset)
  }

  /// The error of a call on this file.
  func error(_ operation: DiskOperation, at offset: UInt64? = nil, _ code: SystemErrorCode) -> DiskError {
    DiskError(operation, path: path, offset: offset, code: code)
  }
}

extension FileMapping {
  /// What a reader sees at the addresses of an exposed range.
  func bytes(_ range: Range<UInt64>) -> [UInt8] {
    unsafe Array(UnsafeRawBufferPointer(start: base + Int(range.lowerBound), count: range.count))
  }

  func store(_ bytes: [UInt8], at offset: UInt64) {
    unsafe store(bytes.span.bytes, at: offset)
  }
}

/// What the system tells of a path, links not followed.
func status(of path: String) -> stat {
  var status = stat()
  precondition(unsafe lstat(path, &status) == 0, "cannot find \(path)")
  return status
}

/// How many bytes a file occupies on its medium.
func allocatedByteCount(of path: String) -> Int {
  Int(status(of: path).st_blocks) * 512
}

/// `count` bytes that differ from place to place.
func pattern(_ count: Int, seed: Int = 1) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ $0 / 251 &+ seed) % 251) }
}

func zeros(_ count: Int) -> [UInt8] {
  [UInt8](repeating: 0, count: count)
}

#if os(Linux)
  /// The numbers of this process's descriptors that are open on a path.
  func descriptors(of path: String) throws -> [Int32] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap(Int32.init).filter {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")) == path
    }
  }
#endif
