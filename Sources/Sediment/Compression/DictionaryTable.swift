internal import Synchronization

/// The dictionaries of a store, which readers look up without a lock.
///
/// Readers are in a reader's scope.
final class DictionaryTable: @unchecked Sendable {
  // Sendable: the lock guards the variables, and what readers load is atomic and never changes.

  /// The dictionaries at a moment, in ascending order of their numbers.
  private final class Snapshot: Sendable {
    let dictionaries: [CompressionDictionary]
    /// Those that were not whole when the store was opened.
    let lost: Set<UInt32>

    init(_ dictionaries: [CompressionDictionary], _ lost: Set<UInt32>) {
      self.dictionaries = dictionaries
      self.lost = lost
    }
  }

  /// Held while it is changed.
  private let lock = Lock()
  /// The address of the present snapshot.
  private let snapshot: Atomic<UInt>

  init() {
    snapshot = Atomic(Self.address(Snapshot([], [])))
  }

  deinit {
    Self.release(snapshot.load(ordering: .acquiring))
  }

  private static func address(_ snapshot: Snapshot) -> UInt {
    unsafe UInt(bitPattern: Unmanaged.passRetained(snapshot).toOpaque())
  }

  private static func release(_ address: UInt) {
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return }
    unsafe Unmanaged<Snapshot>.fromOpaque(pointer).release()
  }

  private func withSnapshot<Result>(_ body: (Snapshot) -> Result) -> Result {
    // It lives until no reader is inside that could have loaded its address.
    let pointer = unsafe UnsafeRawPointer(bitPattern: snapshot.load(ordering: .acquiring))!
    return unsafe Unmanaged<Snapshot>.fromOpaque(pointer)._withUnsafeGuaranteedRef { body($0) }
  }

  /// The dictionary of a number; nil if there is none, or it is lost.
  func dictionary(_ number: UInt32) -> CompressionDictionary? {
    withSnapshot { snapshot in
      snapshot.dictionaries.last { $0.number == number }
    }
  }

  /// All that are whole.
  var all: [CompressionDictionary] { lock.withLock { withSnapshot { $0.dictionaries } } }

  /// The numbers of those that are not.
  var lost: Set<UInt32> { lock.withLock { withSnapshot { $0.lost } } }

  func add(_ dictionary: CompressionDictionary, _ retired: RetiredList) {
    replace(retired) { ($0.dictionaries + [dictionary], $0.lost) }
  }

  func addLost(_ number: UInt32, _ retired: RetiredList) {
    replace(retired) { ($0.dictionaries, $0.lost.union([number])) }
  }

  func remove(_ number: UInt32, _ retired: RetiredList) {
    replace(retired) { ($0.dictionaries.filter { $0.number != number }, $0.lost.subtracting([number])) }
  }

  private func replace(
    _ retired: RetiredList, _ change: (Snapshot) -> ([CompressionDictionary], Set<UInt32>)
  ) {
    let old = lock.withLock {
      let (dictionaries, lost) = withSnapshot(change)
      let sorted = dictionaries.sorted { $0.number < $1.number }
      return snapshot.exchange(Self.address(Snapshot(sorted, lost)), ordering: .acquiringAndReleasing)
    }
    retired.retire { Self.release(old) }
  }
}
