internal import Synchronization

/// How the values of a collection are compressed, and what came of it so far.
@safe
final class CollectionCompression: @unchecked Sendable {
  // Unchecked for the plain variables, which take the writer's permit.

  let cells: CompressionCells
  /// About how long compressing took.
  let nanoseconds = Atomic<UInt64>(0)
  let samples: SampleBuffer
  /// The address of the present dictionary, or 0; the table keeps it alive for readers.
  private let current = Atomic<UInt>(0)
  // The writer's: each method that uses them asks for its permit.
  private var presentNumber: UInt32 = 0
  private var stored = SedimentCompressionFigures()
  private var drift = CompressionDrift()
  /// How often samples were trained from.
  private let trainingCount = Atomic<UInt32>(0)

  /// So many bytes of values are gathered for the first dictionary.
  static let firstSampleByteCount = 256 << 10
  /// And for later ones.
  private static let sampleByteCount = 512 << 10

  init() {
    cells = .allocate()
    samples = SampleBuffer(cells, stride: 1, byteCountWanted: Self.firstSampleByteCount)
  }

  deinit {
    cells.deallocate()
  }

  /// Notes how a trial went.
  func noteTrial(_ byteCount: Int, hasDictionary: Bool, isCompressible: Bool) {
    cells.trials(withDictionary: hasDictionary).note(byteCount, isCompressible: isCompressible)
  }

  /// Without a dictionary nothing is to be had from shorter values.
  static let plainByteCountMin = 64
  /// The longest value that is compressed with one.
  static let dictionaryByteCountMax = 32 << 10

  /// Calls `body` with the dictionary that values of so many bytes are compressed with now, nil for none.
  ///
  /// In a reader's scope, in which it lives.
  @inline(__always)
  func withDictionary<Result>(
    for byteCount: Int, _ body: (CompressionDictionary?) -> Result
  ) -> Result {
    // Longer ones have in themselves what a dictionary could tell.
    guard byteCount <= Self.dictionaryByteCountMax,
      let pointer = unsafe UnsafeRawPointer(bitPattern: current.load(ordering: .acquiring))
    else { return body(nil) }
    return unsafe Unmanaged<CompressionDictionary>.fromOpaque(pointer)._withUnsafeGuaranteedRef { body($0) }
  }

  /// The number of the present dictionary, or 0.
  @inline(__always)
  func dictionaryNumber(_ permit: borrowing WritePermit) -> UInt32 { presentNumber }

  /// Lets values be compressed with a dictionary that the store's table has, nil for none.
  func use(_ dictionary: CompressionDictionary?, _ permit: borrowing WritePermit) {
    let address = dictionary.map { unsafe UInt(bitPattern: Unmanaged.passUnretained($0).toOpaque()) } ?? 0
    current.store(address, ordering: .releasing)
    SchedulePoint.reach(.published)
    presentNumber = dictionary?.number ?? 0
    drift = CompressionDrift()
    cells.hasDictionary = dictionary != nil
    cells.trials(withDictionary: true).reset()
  }

  /// Takes a value into the figures that was stored; `transform` is nil if it was as it is.
  @inline(__always)
  func count(
    _ byteCount: Int, storedAs storedByteCount: Int, isCompressed: Bool, _ permit: borrowing WritePermit
  ) {
    stored.count(byteCount, storedAs: storedByteCount, isCompressed: isCompressed)
    guard presentNumber != 0, byteCount <= SampleBuffer.valueByteCountMax else { return }
    if drift.isFound(byteCount, storedByteCount) {
      samples.gather(stride: 1, byteCount: Self.firstSampleByteCount)
    }
  }

  /// What was stored since the opening, and about how long compressing it took.
  func figures(_ permit: borrowing WritePermit) -> SedimentCompressionFigures {
    var figures = stored
    figures.nanoseconds = nanoseconds.load(ordering: .relaxed)
    return figures
  }

  /// Notes that samples were trained from, and begins to gather the next: the more seldom, the oftener that was done.
  func noteTraining(isFruitful: Bool) {
    let count = trainingCount.add(isFruitful ? 1 : 4, ordering: .relaxed).newValue
    samples.gather(
      stride: 1 << (2 * min(count, 5)),
      byteCount: isFruitful ? Self.sampleByteCount : Self.firstSampleByteCount)
  }
}

extension SedimentCompressionFigures {
  /// Counts a value that was stored.
  @inline(__always)
  fileprivate mutating func count(_ byteCount: Int, storedAs byteCountStored: Int, isCompressed: Bool) {
    valueCount &+= 1
    valueByteCount &+= UInt64(byteCount)
    storedByteCount &+= UInt64(byteCountStored)
    if isCompressed { compressedCount &+= 1 }
  }
}
