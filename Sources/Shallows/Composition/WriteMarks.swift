import Synchronization

/// Marks keys as being written, so that a value which was read before is not put into a front after the new one.
///
/// A reader takes a token before it asks the back, and after it has filled the front it looks whether a write began
/// since: then what it filled may be older than what was written, and has to go.
@usableFromInline
protocol WriteMarks<Key> {
  associatedtype Key
  /// What tells later whether a write began; nil while one is going on.
  func token(_ key: Key) -> UInt64?
  /// Whether no write began since.
  func isQuiet(_ key: Key, since token: UInt64) -> Bool
  /// A write of the key begins; of all keys for nil.
  func begin(_ key: Key?)
  /// It has ended, however it did.
  func end(_ key: Key?)
}

/// For keys that cannot be hashed: nothing is known about them.
@usableFromInline
struct NoMarks<Key>: WriteMarks {
  @inlinable init() {}
  @inlinable func token(_ key: Key) -> UInt64? { 0 }
  @inlinable func isQuiet(_ key: Key, since token: UInt64) -> Bool { true }
  @inlinable func begin(_ key: Key?) {}
  @inlinable func end(_ key: Key?) {}
}

/// Marks by hash: keys share one of a few marks, which at worst leaves a value out of a front.
@usableFromInline
struct HashedMarks<Key: Hashable>: WriteMarks {
  @usableFromInline let table = WriteMarkTable()

  @inlinable init() {}

  @inlinable
  func token(_ key: Key) -> UInt64? { table.token(key.hashValue) }

  @inlinable
  func isQuiet(_ key: Key, since token: UInt64) -> Bool { table.isQuiet(key.hashValue, since: token) }

  @inlinable
  func begin(_ key: Key?) { table.begin(key?.hashValue) }

  @inlinable
  func end(_ key: Key?) { table.end(key?.hashValue) }
}

/// How many writes began and ended, for each mark.
@safe
@usableFromInline
final class WriteMarkTable: Sendable {
  /// Alone in its cache line.
  private struct Mark: ~Copyable {
    let began = Atomic<UInt64>(0)
    let ended = Atomic<UInt64>(0)
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0, 0)
  }

  private static let markCount = 16
  /// Initialized for as long as the table lives; atomics are all that is in it.
  private nonisolated(unsafe) let marks: UnsafeMutablePointer<Mark>

  @usableFromInline
  init() {
    unsafe marks = .allocate(capacity: Self.markCount)
    for index in 0..<Self.markCount { unsafe (marks + index).initialize(to: Mark()) }
  }

  deinit {
    unsafe marks.deinitialize(count: Self.markCount)
    unsafe marks.deallocate()
  }

  @usableFromInline
  func token(_ hash: Int) -> UInt64? {
    let mark = unsafe marks + hash & (Self.markCount - 1)
    // In this order: had a write begun in between, the numbers would differ.
    let ended = unsafe mark.pointee.ended.load(ordering: .sequentiallyConsistent)
    let began = unsafe mark.pointee.began.load(ordering: .sequentiallyConsistent)
    return began == ended ? began : nil
  }

  @usableFromInline
  func isQuiet(_ hash: Int, since token: UInt64) -> Bool {
    let mark = unsafe marks + hash & (Self.markCount - 1)
    return unsafe mark.pointee.began.load(ordering: .sequentiallyConsistent) == token
  }

  @usableFromInline
  func begin(_ hash: Int?) {
    for index in indices(hash) {
      unsafe marks[index].began.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }
  }

  @usableFromInline
  func end(_ hash: Int?) {
    for index in indices(hash) {
      unsafe marks[index].ended.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }
  }

  private func indices(_ hash: Int?) -> Range<Int> {
    guard let hash else { return 0..<Self.markCount }
    let index = hash & (Self.markCount - 1)
    return index..<index + 1
  }
}
