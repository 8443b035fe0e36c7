/// Values of a collection, gathered for a dictionary to be trained from.
///
/// Whoever writes or moves a value asks the cells whether it is one; where nothing is gathered, that costs a load.
final class SampleBuffer: Sendable {
  /// What was gathered: the values one behind the other.
  struct Samples: Sendable {
    private(set) var bytes: [UInt8] = []
    private(set) var counts: [Int] = []

    mutating func add(_ value: RawSpan) {
      unsafe value.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) }
      counts.append(value.byteCount)
    }

    /// Calls a closure with one value after the other.
    func forEach(_ body: (RawSpan) -> Void) {
      var start = 0
      for count in counts {
        body(unsafe bytes.span.bytes.extracting(start..<start + count))
        start += count
      }
    }
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
      gathering.samples.add(value)
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

  /// Forgets what was gathered, and begins anew to gather if that was under way.
  func forget() {
    gathering.withLock { gathering in
      let wasEnough = gathering.isEnough
      gathering.samples = Samples()
      if wasEnough { cells.pause = gathering.stride - 1 }
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

/// Numbers that follow no rhythm, the same ones each time; quicker than the system's.
struct Chance {
  private var state: UInt64 = 0x9e37_79b9_7f4a_7c15

  /// A number from 0 on.
  mutating func next(below bound: UInt32) -> UInt32 {
    state ^= state &<< 13
    state ^= state &>> 7
    state ^= state &<< 17
    return UInt32(truncatingIfNeeded: state &>> 32) % bound
  }
}
