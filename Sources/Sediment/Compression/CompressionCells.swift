internal import Synchronization

/// What every set asks of a collection's compression: three lines of the cache that any number of threads read and
/// change, without a lock and without looking at an object.
///
/// Owned by a `CollectionCompression`.
@safe
struct CompressionCells: @unchecked Sendable {
  // Unchecked for this constant pointer, to atomics.
  private let cells: UnsafeMutablePointer<Atomic<UInt32>>

  private static let count = 48
  private static let classCount = 16

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

  /// Which values are tried without a dictionary, or with one.
  @inline(__always)
  func trials(withDictionary: Bool) -> TrialPolicy {
    unsafe TrialPolicy(classes: cells + (withDictionary ? 2 : 1) * Self.classCount, count: Self.classCount)
  }

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
