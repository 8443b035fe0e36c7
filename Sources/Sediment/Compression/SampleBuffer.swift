internal import Synchronization

/// Values of a collection, gathered for a dictionary to be trained from.
///
/// Whoever writes or moves a value asks the cells whether it is one; where nothing is gathered, that costs a load.
final class SampleBuffer: Sendable {
  /// What was gathered: the values one behind the other.
  struct Samples: Sendable {
    var bytes: [UInt8] = []
    var counts: [Int] = []
  }

  private struct Gathering {
    var samples = Samples()
    var stride: UInt32
    var byteCountWanted: Int
    /// So that the values which are passed over follow no rhythm: kinds of values may come in turns.
    var chance = Chance()

    var isEnough: Bool { samples.bytes.count >= byteCountWanted && samples.counts.count >= countMin }
  }

  private let cells: CompressionCells
  private let gathering: Locked<Gathering>

  /// Values longer than this tell little, and would fill the buffer.
  static let valueByteCountMax = 16 << 10
  /// Fewer values are too few to be trained from.
  static let countMin = 200

  /// A buffer that takes one value of `stride`, until it has so many bytes.
  init(_ cells: CompressionCells, stride: UInt32, byteCountWanted: Int) {
    self.cells = cells
    gathering = Locked(.leaf, Gathering(stride: stride, byteCountWanted: byteCountWanted))
  }

  /// Takes a value whose turn it is by `CompressionCells.isSample`; whether there are enough now.
  @inline(never)
  func take(_ value: RawSpan) -> Bool {
    guard value.byteCount <= Self.valueByteCountMax, value.byteCount > 0 else { return false }
    return gathering.withLock { gathering in
      guard cells.pause != .max else { return false }
      cells.pause = gathering.chance.next(below: 2 * gathering.stride - 1)
      unsafe value.withUnsafeBytes { unsafe gathering.samples.bytes.append(contentsOf: $0) }
      gathering.samples.counts.append(value.byteCount)
      guard gathering.isEnough else { return false }
      cells.pause = .max
      return true
    }
  }

  /// Takes what was gathered, if there is enough of it; then nothing is gathered until `gather`.
  func takeSamples() -> Samples? {
    gathering.withLock { gathering in
      guard gathering.isEnough else { return nil }
      defer { gathering.samples = Samples() }
      return gathering.samples
    }
  }

  /// Begins anew to gather one value of `stride`, until there are so many bytes.
  func gather(stride: UInt32, byteCount: Int) {
    gathering.withLock { gathering in
      gathering.samples = Samples()
      gathering.stride = max(stride, 1)
      gathering.byteCountWanted = byteCount
      cells.pause = gathering.stride - 1
    }
  }
}
