/// How much data and how many operations a run takes.
package struct Scale: Equatable, Sendable {
  /// The size of what must not fit into any cache, tables and files that are read: a power of two.
  package var largeByteCount: Int

  /// The size of what is written in one sample.
  package var writtenByteCount: Int

  /// Every loop does its count of operations divided by this.
  package var divisor: Int

  package init(largeByteCount: Int, writtenByteCount: Int, divisor: Int) {
    self.largeByteCount = largeByteCount
    self.writtenByteCount = writtenByteCount
    self.divisor = divisor
  }

  /// A run whose figures mean something, on a machine with this much memory.
  ///
  /// About six times the large size is in use at once; a sixteenth of the memory keeps that in memory.
  package static func full(memoryByteCount: UInt64) -> Scale {
    var large = 512 << 20
    while large > 64 << 20, UInt64(large) > memoryByteCount / 16 { large /= 2 }
    return Scale(largeByteCount: large, writtenByteCount: large / 4, divisor: 1)
  }

  /// A run of a few seconds that only proves that everything works.
  package static let quick = Scale(largeByteCount: 64 << 20, writtenByteCount: 4 << 20, divisor: 50)

  /// How many operations to do where a full run does `count`.
  package func operations(_ count: Int) -> Int {
    max(1, count / divisor)
  }
}
