import Synchronization

/// Marks keys as being written, so that a value which was read before is not put into a front after the new one.
///
/// A reader takes a token before it asks the back, and after it has filled the front it looks whether a write began
/// since: then what it filled may be older than what was written, and has to go; a front that cannot remove gets the newest.
@usableFromInline
protocol WriteMarks<Key> {
  associatedtype Key
  /// What tells later whether a write began; nil while one is going on.
  func token(_ key: Key) -> UInt64?
  /// Whether no write began since.
  func isQuiet(_ key: Key, since token: UInt64) -> Bool
  /// A write of the key begins, or of all keys for nil; what tells later whether it was alone, nil if it is not.
  func begin(_ key: Key?) -> UInt64?
  /// Whether nobody else wrote the key since it began.
  func wasAlone(_ key: Key, since token: UInt64?) -> Bool
  /// It has ended, however it did.
  func end(_ key: Key?)
}

/// Marks for keys of which the compiler does not know whether they can be hashed; those that cannot share one mark.
@usableFromInline
struct AnyMarks<Key>: WriteMarks {
  private let table = WriteMarkTable()

  @usableFromInline init() {}

  @usableFromInline
  func token(_ key: Key) -> UInt64? { table.token(hash(key)) }

  @usableFromInline
  func isQuiet(_ key: Key, since token: UInt64) -> Bool { table.isQuiet(hash(key), since: token) }

  @usableFromInline
  func begin(_ key: Key?) -> UInt64? { table.begin(key.map(hash)) }

  @usableFromInline
  func wasAlone(_ key: Key, since token: UInt64?) -> Bool { table.wasAlone(hash(key), since: token) }

  @usableFromInline
  func end(_ key: Key?) { table.end(key.map(hash)) }

  private func hash(_ key: Key) -> Int { (key as? any Hashable)?.hashValue ?? 0 }
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
  func begin(_ key: Key?) -> UInt64? { table.begin(key?.hashValue) }

  @inlinable
  func wasAlone(_ key: Key, since token: UInt64?) -> Bool { table.wasAlone(key.hashValue, since: token) }

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

  private static let markCount = 64
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
  func begin(_ hash: Int?) -> UInt64? {
    var token: UInt64?
    for index in indices(hash) {
      let (before, began) = unsafe marks[index].began.wrappingAdd(1, ordering: .sequentiallyConsistent)
      let ended = unsafe marks[index].ended.load(ordering: .sequentiallyConsistent)
      token = ended == before ? began : nil
    }
    return token
  }

  @usableFromInline
  func wasAlone(_ hash: Int, since token: UInt64?) -> Bool {
    guard let token else { return false }
    return isQuiet(hash, since: token)
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
