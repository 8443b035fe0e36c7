internal import SedimentDisk

/// A file with what its window has of the log laid over the places where it belongs (DESIGN.md 7, step 4).
///
/// What is read is patched; everything else goes to the file as it is. Patches are added while one thread reads the log,
/// and nobody else has the file.
final class PatchedFile: DiskFile, @unchecked Sendable {
  private let file: any DiskFile
  /// Each where it begins, in the order in which the log goes through them.
  private var patches: [(offset: UInt64, bytes: [UInt8])] = []

  init(_ file: any DiskFile) {
    self.file = file
  }

  /// Whether anything is laid over the file.
  var isPatched: Bool { !patches.isEmpty }

  /// Lays bytes over a place before the end of the file.
  func add(_ bytes: [UInt8], at offset: UInt64) {
    patches.append((offset, bytes))
  }

  func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int {
    let count = try file.read(into: &buffer, at: offset)
    let found = offset..<offset + UInt64(count)
    for patch in patches {
      let common = (patch.offset..<patch.offset + UInt64(patch.bytes.count)).clamped(to: found)
      for place in common {
        buffer.storeBytes(
          of: patch.bytes[Int(place - patch.offset)], toByteOffset: Int(place - offset), as: UInt8.self)
      }
    }
    return count
  }

  var path: String { file.path }
  /// A copy that shares the blocks would be one of the file alone.
  var traits: FileTraits {
    var traits = file.traits
    traits.clones = false
    return traits
  }
  var identifier: FileIdentifier { file.identifier }
  func byteCount() throws(DiskError) -> UInt64 { try file.byteCount() }
  func allocatedByteCount() throws(DiskError) -> UInt64 { try file.allocatedByteCount() }
  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) { try file.write(bytes, at: offset) }
  func allocate(_ range: Range<UInt64>) throws(DiskError) { try file.allocate(range) }
  func punchHole(_ range: Range<UInt64>) throws(DiskError) { try file.punchHole(range) }

  /// All that may hold anything, the patches included.
  func dataRange(from offset: UInt64) throws(DiskError) -> Range<UInt64>? {
    let found = try file.dataRange(from: offset)
    let others = patches.filter { $0.offset + UInt64($0.bytes.count) > offset }
    guard let next = others.map({ max($0.offset, offset) }).min() else { return found }
    guard let found, found.lowerBound <= next else {
      let first = others.first { max($0.offset, offset) == next }!
      return next..<first.offset + UInt64(first.bytes.count)
    }
    return found
  }

  func truncate(to byteCount: UInt64) throws(DiskError) { try file.truncate(to: byteCount) }
  func sync() throws(DiskError) { try file.sync() }
  func reserveMapping(byteCount: UInt64) throws(DiskError) -> FileMapping {
    try file.reserveMapping(byteCount: byteCount)
  }
  func clone(to path: String) throws(DiskError) {
    throw DiskError(.clone, path: file.path, code: .notSupported)
  }
  func lock(_ range: Range<UInt64>, _ mode: LockMode) throws(DiskError) -> Bool { try file.lock(range, mode) }
  func unlock(_ range: Range<UInt64>) throws(DiskError) { try file.unlock(range) }
  func close() throws(DiskError) { try file.close() }
}
