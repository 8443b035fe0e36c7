internal import BenchmarkHarness
internal import Foundation

/// What a machine has for files that are to stay in its memory.
package struct Room {
  /// How many bytes the disk has left.
  package var freeByteCount: UInt64

  /// How many bytes of memory there are.
  package var memoryByteCount: UInt64

  package init(freeByteCount: UInt64, memoryByteCount: UInt64) {
    self.freeByteCount = freeByteCount
    self.memoryByteCount = memoryByteCount
  }

  /// What there is for files in a folder.
  package init(_ directory: String) throws {
    let attributes = try FileManager.default.attributesOfFileSystem(forPath: directory)
    let free = (attributes[.systemFreeSize] as? NSNumber)?.uint64Value
    self.init(freeByteCount: free ?? .max, memoryByteCount: ProcessInfo.processInfo.physicalMemory)
  }

  /// Throws ``Unsupported`` if there is no room for a store of that size, which is overwritten once.
  ///
  /// Its records are there twice then, and the tables of bare loops take as much again.
  package func check(storeByteCount: Int) throws {
    let needed = 3 * UInt64(storeByteCount)
    if freeByteCount < needed { throw Unsupported("it takes \(needed >> 20) MiB of free disk") }
    if memoryByteCount < needed { throw Unsupported("it takes \(needed >> 20) MiB of memory") }
  }

  /// Gives memory that was in use a moment ago to a store that is about to become so large; see ``ScratchFile``.
  package static func warm(_ directory: String, storeByteCount: Int) throws {
    try Room(directory).check(storeByteCount: storeByteCount)
    try ScratchFile("warm", in: directory).fill(byteCount: storeByteCount)
  }
}
