import Synchronization

/// What was written and filled lately in a front, so that no value stays there that is older than the back's.
///
/// Who fills a front looks before and after whether a write of the key began or ended since he asked the back, and takes
/// the value out again if so. Who ends a write takes out what was filled during it. All compositions with one front share
/// its marks, whoever made them.
@safe @usableFromInline
final class WriteMarks: Sendable {
  /// Keys share one of a few marks by their hashes, which at worst takes a value out of a front that could have stayed.
  private struct Mark: ~Copyable {
    let began = Atomic<UInt64>(0)
    let ended = Atomic<UInt64>(0)
    let filled = Atomic<UInt64>(0)
    /// Each is alone in its cache line.
    private let padding: (UInt64, UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0, 0)
  }

  /// What marks were like at some moment.
  @usableFromInline
  struct Moment: Equatable, Sendable {
    fileprivate var began: UInt64 = 0
    fileprivate var ended: UInt64 = 0
    fileprivate var filled: UInt64 = 0

    /// Whether a write was going on.
    @usableFromInline var isBusy: Bool { began != ended }
  }

  private static let markCount = 64
  /// Initialized for as long as this lives; atomics are all that is in it.
  private nonisolated(unsafe) let marks: UnsafeMutablePointer<Mark>

  /// What gives a front that cannot remove the newest value of a key, with the hash of the key.
  private struct Renewal {
    let hash: Int
    let run: () -> StorageAnswer<Void>
  }

  private let renewals = Mutex<[Unchecked<Renewal>]>([])
  private let renewalCount = Atomic(0)

  private init(_ root: StorageRoot?) {
    self.root = Unchecked(root)
    unsafe marks = .allocate(capacity: Self.markCount)
    for index in 0..<Self.markCount { unsafe (marks + index).initialize(to: Mark()) }
  }

  deinit {
    unsafe marks.deinitialize(count: Self.markCount)
    unsafe marks.deallocate()
    guard let root = root.value else { return }
    Self.all.withLock { all in
      if all[Place(root)]?.marks == nil { all[Place(root)] = nil }
    }
  }

  // MARK: Of one front

  private struct Weak: Sendable {
    weak let marks: WriteMarks?
  }

  private struct Place: Hashable {
    let storage: ObjectIdentifier
    let level: Int

    init(_ root: StorageRoot) {
      storage = ObjectIdentifier(root.storage)
      level = root.level
    }
  }

  private static let all = Mutex<[Place: Weak]>([:])
  /// Kept, so that no other front has its identity meanwhile.
  private let root: Unchecked<StorageRoot?>

  /// The marks of a front, by its root.
  @usableFromInline
  static func of(_ front: Any) -> WriteMarks {
    guard let root = StorageRoot.of(front) else { return WriteMarks(nil) }
    let kept = Unchecked(root)
    return all.withLock { all in
      let place = Place(kept.value)
      if let marks = all[place]?.marks { return marks }
      let marks = WriteMarks(kept.value)
      all[place] = Weak(marks: marks)
      return marks
    }
  }

  // MARK: Writes and fills

  private func indices(_ hash: Int?) -> Range<Int> {
    guard let hash else { return 0..<Self.markCount }
    let index = hash & (Self.markCount - 1)
    return index..<index + 1
  }

  /// The present moment of a key's mark, or of all.
  @usableFromInline
  func moment(_ hash: Int?) -> Moment {
    var moment = Moment()
    for index in indices(hash) {
      // In this order: a write that began in between is one that goes on.
      unsafe moment.ended &+= marks[index].ended.load(ordering: .sequentiallyConsistent)
      unsafe moment.began &+= marks[index].began.load(ordering: .sequentiallyConsistent)
      unsafe moment.filled &+= marks[index].filled.load(ordering: .sequentiallyConsistent)
    }
    return moment
  }

  /// Whether no write began or ended since.
  @usableFromInline
  func isQuiet(_ hash: Int, since moment: Moment) -> Bool {
    let now = self.moment(hash)
    return now.began == moment.began && now.ended == moment.ended
  }

  /// A fill begins, which a write that goes on has to take out in the end.
  @usableFromInline
  func fill(_ hash: Int) {
    let index = indices(hash).lowerBound
    unsafe marks[index].filled.wrappingAdd(1, ordering: .sequentiallyConsistent)
  }

  /// A write of a key begins, or of all for nil; the moment by which it is told in the end whether it was alone.
  @usableFromInline
  func begin(_ hash: Int?) -> Moment {
    var moment = moment(hash)
    for index in indices(hash) {
      unsafe marks[index].began.wrappingAdd(1, ordering: .sequentiallyConsistent)
      moment.began &+= 1
      moment.ended &+= 1
    }
    return moment
  }

  /// A write ends, however it did; whether nothing else was written or filled since it began.
  @usableFromInline
  func end(_ hash: Int?, since moment: Moment) -> Bool {
    for index in indices(hash) {
      unsafe marks[index].ended.wrappingAdd(1, ordering: .sequentiallyConsistent)
    }
    return self.moment(hash) == moment && !moment.isBusy
  }

  // MARK: Fronts that cannot remove

  /// Whether there is nothing to renew.
  ///
  /// Whoever ends a write looks here after that, and whoever adds a renewal looks for writes after that, so that one of
  /// them sees the other.
  @usableFromInline
  var isSettled: Bool { renewalCount.load(ordering: .sequentiallyConsistent) == 0 }

  func renew(_ hash: Int, _ run: @escaping () -> StorageAnswer<Void>) {
    let renewal = Unchecked(Renewal(hash: hash, run: run))
    renewals.withLock { $0.append(renewal) }
    renewalCount.add(1, ordering: .sequentiallyConsistent)
  }

  /// Renews keys that nobody writes now; those that are being written are left to whom writes them.
  @usableFromInline
  func settle() -> StorageAnswer<Void> {
    guard !isSettled else { return .done }
    let due = renewals.withLock { renewals in
      var due: [Unchecked<Renewal>] = []
      renewals.removeAll { renewal in
        guard !moment(renewal.value.hash).isBusy else { return false }
        due.append(renewal)
        return true
      }
      return due
    }
    guard !due.isEmpty else { return .done }
    renewalCount.subtract(due.count, ordering: .sequentiallyConsistent)
    let renewed: StorageAnswer<[ShallowsResult<Void>]> = .each(due.count) { due[$0].value.run() }
    return renewed.then { _ in self.settle() }
  }
}

/// What makes hashes of keys, if they have any; those that cannot be hashed share one.
@usableFromInline
func hashing<Key>(_ type: Key.Type) -> (Key) -> Int {
  func hash<HashableKey: Hashable>(_ type: HashableKey.Type) -> (Key) -> Int {
    // The type is `Key` itself.
    { unsafe unsafeBitCast($0, to: HashableKey.self).hashValue }
  }
  guard let type = type as? any Hashable.Type else { return { _ in 0 } }
  return hash(type)
}
