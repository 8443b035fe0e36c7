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
    cells.forgetTrialsWithDictionary()
  }

  /// Counts a value that was stored.
  @inline(__always)
  func count(
    _ byteCount: Int, storedAs storedByteCount: Int, isCompressed: Bool, _ permit: borrowing WritePermit
  ) {
    stored.valueCount &+= 1
    stored.valueByteCount &+= UInt64(byteCount)
    stored.storedByteCount &+= UInt64(storedByteCount)
    if isCompressed { stored.compressedCount &+= 1 }
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

/// Whether a dictionary fits the values as it did at first, by some of them at a time.
struct CompressionDrift {
  /// What the first values took of a million bytes; nil before.
  private var first: UInt64?
  private var count = 0
  private var byteCount: UInt64 = 0
  private var storedByteCount: UInt64 = 0

  private static let windowCount = 1_000

  /// Takes a value; true once values take a quarter more than the first ones did, and then not before they change
  /// again.
  @inline(__always)
  mutating func isFound(_ byteCount: Int, _ storedByteCount: Int) -> Bool {
    count &+= 1
    self.byteCount &+= UInt64(byteCount)
    self.storedByteCount &+= UInt64(storedByteCount)
    return count >= Self.windowCount && isFoundInWindow()
  }

  @inline(never)
  private mutating func isFoundInWindow() -> Bool {
    let share = storedByteCount &* 1_000_000 / max(byteCount, 1)
    (count, byteCount, storedByteCount) = (0, 0, 0)
    guard let before = first else {
      first = share
      return false
    }
    if share <= before + before / 4 { return false }
    first = share
    return true
  }
}
