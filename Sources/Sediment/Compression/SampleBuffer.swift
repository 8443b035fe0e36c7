internal import Synchronization

/// Values of a collection, gathered for a dictionary to be trained from.
///
/// Whoever writes or moves a value may offer it; where nothing is gathered, that costs a load.
final class SampleBuffer: @unchecked Sendable {
  /// What was gathered: the values one behind the other.
  struct Samples: Sendable {
    var bytes: [UInt8] = []
    var counts: [Int] = []
  }

  /// How many values are passed over before the next is taken; the highest number if none are wanted.
  private let pause: Atomic<UInt32>
  private let lock = Lock()
  // Under the lock.
  private var samples = Samples()
  private var stride: UInt32
  private var byteCountWanted: Int
  /// So that the values which are passed over follow no rhythm: kinds of values may come in turns.
  private var chance = SystemRandomNumberGenerator()

  /// Values longer than this tell little, and would fill the buffer.
  static let valueByteCountMax = 16 << 10
  /// Fewer values are too few to be trained from.
  static let countMin = 200

  /// A buffer that takes one value of `stride`, until it has so many bytes; 0 takes none.
  init(stride: UInt32, byteCountWanted: Int) {
    pause = Atomic(stride == 0 ? .max : 0)
    self.stride = stride
    self.byteCountWanted = byteCountWanted
  }

  /// Offers a value; whether there are enough now.
  @inline(__always)
  func offer(_ value: RawSpan) -> Bool {
    let now = pause.load(ordering: .relaxed)
    if now != 0 {
      if now != .max { pause.store(now - 1, ordering: .relaxed) }
      return false
    }
    return take(value)
  }

  @inline(never)
  private func take(_ value: RawSpan) -> Bool {
    guard value.byteCount <= Self.valueByteCountMax, value.byteCount > 0 else { return false }
    lock.lock()
    defer { lock.unlock() }
    guard pause.load(ordering: .relaxed) != .max else { return false }
    pause.store(stride == 1 ? 0 : .random(in: 0...2 * (stride - 1), using: &chance), ordering: .relaxed)
    unsafe value.withUnsafeBytes { unsafe samples.bytes.append(contentsOf: $0) }
    samples.counts.append(value.byteCount)
    guard samples.bytes.count >= byteCountWanted, samples.counts.count >= Self.countMin else { return false }
    pause.store(.max, ordering: .relaxed)
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
      pause.store(self.stride - 1, ordering: .relaxed)
    }
  }

  /// Whether values are being gathered.
  var isGathering: Bool { pause.load(ordering: .relaxed) != .max }
}
