internal import Synchronization

/// What every set asks of a collection's compression: three lines of the cache that any number of threads read and
/// change, without a lock and without looking at an object.
///
/// It says which values are samples for a dictionary, and for which ones it is tried whether they can be compressed: the
/// more in a row could not, the fewer. Values of similar lengths are judged together, since those of one kind mostly
/// have one. That threads disturb one another makes it a little less exact. Owned by a `CollectionCompression`.
@safe
struct CompressionCells: @unchecked Sendable {
  // Unchecked for this constant pointer, to atomics.
  private let cells: UnsafeMutablePointer<Atomic<UInt32>>

  private static let count = 48
  private static let classCount = 16
  /// So many failures in a row change nothing.
  private static let patience: UInt32 = 4
  /// After this many doublings of the values passed over, one in 1,024 is tried.
  private static let doublingCountMax: UInt32 = 10

  /// How many values are passed over before the next is taken as a sample; the highest number if none are wanted.
  @inline(__always)
  var pause: UInt32 {
    get { unsafe cells[0].load(ordering: .relaxed) }
    nonmutating set { unsafe cells[0].store(newValue, ordering: .relaxed) }
  }

  /// Whether the next value is to be a sample.
  @inline(__always)
  func isSample() -> Bool {
    let now = pause
    if now == 0 { return true }
    if now != .max { pause = now - 1 }
    return false
  }

  /// Whether there is a dictionary.
  @inline(__always)
  var hasDictionary: Bool {
    get { unsafe cells[1].load(ordering: .relaxed) != 0 }
    nonmutating set { unsafe cells[1].store(newValue ? 1 : 0, ordering: .relaxed) }
  }

  // MARK: Trials

  /// How trials went of values of about so many bytes, without or with a dictionary: in the upper half how often they
  /// failed lately, in the lower one how many values are passed over before the next trial.
  @inline(__always)
  private func trials(_ byteCount: Int, withDictionary: Bool) -> UnsafeMutablePointer<Atomic<UInt32>> {
    // Lengths up to 15, up to 31 and so on.
    let bits = Int.bitWidth - byteCount.leadingZeroBitCount
    return unsafe cells + (withDictionary ? 2 : 1) * Self.classCount
      + min(max(bits - 4, 0), Self.classCount - 1)
  }

  /// Whether a value of so many bytes is to be tried.
  @inline(__always)
  func wantsTrial(of byteCount: Int, withDictionary: Bool) -> Bool {
    let trials = unsafe trials(byteCount, withDictionary: withDictionary)
    let now = unsafe trials.pointee.load(ordering: .relaxed)
    if now & 0xffff == 0 { return true }
    unsafe trials.pointee.store(now - 1, ordering: .relaxed)
    return false
  }

  /// Notes how a trial went.
  func noteTrial(_ byteCount: Int, withDictionary: Bool, isCompressible: Bool) {
    let trials = unsafe trials(byteCount, withDictionary: withDictionary)
    let now = unsafe trials.pointee.load(ordering: .relaxed)
    if isCompressible {
      if now != 0 { unsafe trials.pointee.store(0, ordering: .relaxed) }
      return
    }
    let failures = min((now >> 16) + 1, Self.patience + Self.doublingCountMax)
    let passedOver = failures < Self.patience ? 0 : (1 as UInt32) << (failures - Self.patience) - 1
    unsafe trials.pointee.store(failures << 16 | passedOver, ordering: .relaxed)
  }

  /// Lets everything be tried again with a dictionary, because there is a new one.
  func forgetTrialsWithDictionary() {
    for number in 2 * Self.classCount..<Self.count { unsafe cells[number].store(0, ordering: .relaxed) }
  }

  // MARK: Memory

  /// Cells that are to be deallocated.
  static func allocate() -> CompressionCells {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: count * 4, alignment: 64)
    let cells = unsafe memory.bindMemory(to: Atomic<UInt32>.self, capacity: count)
    for number in 0..<count { unsafe (cells + number).initialize(to: Atomic(0)) }
    return unsafe CompressionCells(cells: cells)
  }

  func deallocate() {
    unsafe cells.deinitialize(count: Self.count)
    unsafe UnsafeMutableRawPointer(cells).deallocate()
  }
}
