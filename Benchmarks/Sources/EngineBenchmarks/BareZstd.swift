package import StoreComparison
package import BenchmarkHarness
internal import CBareZstd

/// The bare calls of zstd on the values of a corpus: what compresses them cannot do without these.
@safe
package final class BareZstd {
  /// The level, which is the quickest that finds more than repeated words.
  package static let level = 1

  /// How large a dictionary is.
  package static let dictionaryByteCount = 16 << 10

  private let corpus: ValueCorpus
  private let codec: OpaquePointer
  private var frames: [UInt8] = []
  private var frameEnds: [Int] = []
  private var buffer: [UInt8]

  /// Compresses all values once, and sees to it that they come back.
  package init(_ corpus: ValueCorpus, dictionary: [UInt8] = []) throws {
    self.corpus = corpus
    guard let codec = unsafe bare_zstd_create(Int32(BareZstd.level), dictionary, dictionary.count) else {
      throw Unsupported("zstd found no memory")
    }
    unsafe self.codec = codec
    let byteCountMax = (0..<corpus.count).map { corpus.range($0).count }.max() ?? 0
    buffer = [UInt8](repeating: 0, count: bare_zstd_bound(byteCountMax))
    for number in 0..<corpus.count {
      let frame = buffer[..<compress(number)]
      frames += frame
      frameEnds.append(frames.count)
      guard decompress(number) == corpus.range(number).count,
        buffer[..<corpus.range(number).count] == corpus.bytes[corpus.range(number)]
      else { throw WrongValue("zstd gives back another value") }
    }
  }

  deinit {
    unsafe bare_zstd_free(codec)
  }

  /// A dictionary for values like these.
  package static func dictionary(for samples: ValueCorpus) throws -> [UInt8] {
    var dictionary = [UInt8](repeating: 0, count: dictionaryByteCount)
    let byteCounts = (0..<samples.count).map { samples.range($0).count }
    let count = unsafe bare_zstd_train(
      &dictionary, dictionary.count, samples.bytes, byteCounts, UInt32(byteCounts.count))
    guard count > 0 else { throw Unsupported("zstd has too few values to train from") }
    return Array(dictionary.prefix(count))
  }

  /// Compresses values, always into the same buffer.
  package func compress(_ numbers: Range<Int>) throws {
    var isWhole = true
    for number in numbers where compress(number) == 0 { isWhole = false }
    guard isWhole else { throw WrongValue("zstd does not compress a value again") }
  }

  /// Decompresses values, always into the same buffer.
  ///
  /// One after the other as they lie in memory: a frame that has to be fetched first is not the call's doing.
  package func decompress(_ numbers: Range<Int>) throws {
    var isWhole = true
    for number in numbers where decompress(number) != corpus.range(number).count { isWhole = false }
    guard isWhole else { throw WrongValue("zstd does not decompress a value again") }
  }

  /// How many times as many bytes the values have as their frames.
  package func ratio() -> Sample {
    Sample(byteCount: frames.count, amount: corpus.bytes.count)
  }

  /// Compresses a value into the buffer and returns the length of its frame.
  @inline(__always)
  private func compress(_ number: Int) -> Int {
    let range = corpus.range(number)
    return unsafe buffer.withUnsafeMutableBytes { frame in
      unsafe corpus.bytes.withUnsafeBytes { values in
        unsafe bare_zstd_compress(
          codec, frame.baseAddress, frame.count, values.baseAddress! + range.lowerBound, range.count)
      }
    }
  }

  /// Decompresses a frame into the buffer and returns the length of its value.
  @inline(__always)
  private func decompress(_ number: Int) -> Int {
    let range = (number == 0 ? 0 : frameEnds[number - 1])..<frameEnds[number]
    return unsafe buffer.withUnsafeMutableBytes { value in
      unsafe frames.withUnsafeBytes { frames in
        unsafe bare_zstd_decompress(
          codec, value.baseAddress, value.count, frames.baseAddress! + range.lowerBound, range.count)
      }
    }
  }
}
