internal import Synchronization

/// Values of a collection, gathered for a dictionary to be trained from.
///
/// Whoever writes or moves a value asks the cells whether it is one; where nothing is gathered, that costs a load.
final class SampleBuffer: @unchecked Sendable {
  // Sendable: the lock guards the variables.

  /// What was gathered: the values one behind the other.
  struct Samples: Sendable {
    var bytes: [UInt8] = []
    var counts: [Int] = []
  }

  private let cells: CompressionCells
  private let lock = Lock()
  private var samples = Samples()
  private var stride: UInt32
  private var byteCountWanted: Int
  /// So that the values which are passed over follow no rhythm: kinds of values may come in turns.
  private var chance = Chance()

  /// Values longer than this tell little, and would fill the buffer.
  static let valueByteCountMax = 16 << 10
  /// Fewer values are too few to be trained from.
  static let countMin = 200

  /// A buffer that takes one value of `stride`, until it has so many bytes.
  init(_ cells: CompressionCells, stride: UInt32, byteCountWanted: Int) {
    self.cells = cells
    self.stride = stride
    self.byteCountWanted = byteCountWanted
  }

  /// Takes a value whose turn it is by `CompressionCells.isSample`; whether there are enough now.
  @inline(never)
  func take(_ value: RawSpan) -> Bool {
    guard value.byteCount <= Self.valueByteCountMax, value.byteCount > 0 else { return false }
    lock.lock()
    defer { lock.unlock() }
    guard cells.pause != .max else { return false }
    cells.pause = chance.next(below: 2 * stride - 1)
    unsafe value.withUnsafeBytes { unsafe samples.bytes.append(contentsOf: $0) }
    samples.counts.append(value.byteCount)
    guard samples.bytes.count >= byteCountWanted, samples.counts.count >= Self.countMin else { return false }
    cells.pause = .max
    return true
  }

  /// Takes what was gathered, if there is enough of it; then nothing is gathered until `gather`.
  func takeSamples() -> Samples? {
    lock.withLock {
      guard samples.bytes.count >= byteCountWanted, samples.counts.count >= Self.countMin else { return nil }
      defer { samples = Samples() }
      return samples
    }
  }

  /// Begins anew to gather one value of `stride`, until there are so many bytes.
  func gather(stride: UInt32, byteCount: Int) {
    lock.withLock {
      samples = Samples()
      self.stride = max(stride, 1)
      byteCountWanted = byteCount
      cells.pause = self.stride - 1
    }
  }
}
