internal import CZstd

/// Trains a dictionary from samples and judges whether it pays; it knows of no store.
struct DictionaryTraining {
  /// What is trained from, and what the result is judged by: a fifth of the samples, by chance.
  private var training = SampleBuffer.Samples()
  private var judging = SampleBuffer.Samples()
  private let level: Int32

  /// The bytes of a dictionary.
  static let byteCount = 15 << 10
  /// A dictionary pays if it saves at least this part of what values take without it, or with the one before.
  private static let gainMin = 16

  init(_ samples: SampleBuffer.Samples, level: Int32) {
    self.level = level
    // Kinds of values may come in turns.
    var chance = Chance()
    samples.forEach { value in
      if chance.next(below: 5) == 0 { judging.add(value) } else { training.add(value) }
    }
  }

  /// The bytes of a dictionary that pays; nil if none was found that does.
  ///
  /// `before` is the one that values are compressed with now. Takes tens of milliseconds.
  func run(replacing before: CompressionDictionary?, with codec: ZstdCodec) -> [UInt8]? {
    guard let bytes = train(),
      let dictionary = CompressionDictionary(
        unsafe bytes.span.bytes, number: 0, level: level)
    else { return nil }
    let old = storedByteCount(with: before, codec)
    let new = storedByteCount(with: dictionary, codec)
    return new <= old - old / Self.gainMin ? bytes : nil
  }

  private func train() -> [UInt8]? {
    // A dictionary is to be small beside what it was made from.
    let capacity = min(Self.byteCount, training.bytes.count / 8)
    guard training.counts.count >= 16, capacity >= 512 else { return nil }
    var bytes = [UInt8](repeating: 0, count: capacity)
    let count = unsafe bytes.withUnsafeMutableBytes { target in
      unsafe ZDICT_trainFromBuffer(
        target.baseAddress, target.count, training.bytes, training.counts, UInt32(training.counts.count))
    }
    guard ZDICT_isError(count) == 0, count > 0, count <= capacity else { return nil }
    bytes.removeLast(capacity - count)
    return bytes
  }

  /// What the samples that were kept apart would take.
  private func storedByteCount(with dictionary: CompressionDictionary?, _ codec: ZstdCodec) -> Int {
    var sum = 0
    judging.forEach { value in
      let packed = unsafe codec.compress(
        value, level: level, with: dictionary, toAtMost: Compressor.packedByteCountMax(of: value.byteCount))
      sum += unsafe packed?.count ?? value.byteCount
    }
    return sum
  }
}
