import Synchronization

/// What was written and filled lately in a front, so that no value stays there that is older than the back's.
///
/// Who fills a front looks before and after whether a write of the key began or ended since he asked the back, and takes
/// the value out again if so. Who ends a write takes out what was filled during it. All compositions with one front share
/// its marks, whoever made them. A key is known by its hash.
@usableFromInline
final class WriteMarks: Sendable {
  /// What was written under a hash.
  private struct Mark {
    /// How many writes go on.
    var writerCount = 0
    /// When a write began or ended last.
    var time: UInt64 = 0
    /// Whether one of the writes that go on was not alone: another one came meanwhile, or a fill.
    var isDisturbed = false

    mutating func begin(at time: UInt64, isDisturbed disturbance: Bool) {
      isDisturbed = disturbance || (writerCount > 0)
      writerCount += 1
      self.time = time
    }

    mutating func end(at time: UInt64) -> Bool {
      writerCount -= 1
      self.time = time
      return !isDisturbed
    }

    mutating func disturb() { if writerCount > 0 { isDisturbed = true } }
  }

  private struct State: ~Copyable {
    /// The number of writes that have begun or ended.
    var time: UInt64 = 0
    var marks: [Int: Mark] = [:]
    /// Of the writes of all keys at once.
    var whole = Mark()
    /// When marks without a write were thrown away last.
    var sweepTime: UInt64 = 0
    var markCountMax = 1_024
    /// The hashes of keys whose front may hold an older value than the back just now, nil for all keys.
    ///
    /// A hash stands once for each fill that may have come too late, and for each write that was not alone, until the front
    /// has forgotten the value.
    var unsettled: [Int?] = []

    mutating func disturb(_ hash: Int) {
      marks[hash]?.disturb()
      whole.disturb()
    }

    mutating func settle(_ hash: Int?) {
      if let index = unsettled.firstIndex(of: hash) { unsettled.remove(at: index) }
    }

    func isQuiet(_ hash: Int, since moment: UInt64) -> Bool {
      max(marks[hash]?.time ?? sweepTime, whole.time) <= moment
    }

    /// So that the marks of keys that were written long ago do not stay.
    mutating func sweep() {
      guard marks.count >= markCountMax else { return }
      marks = marks.filter { $1.writerCount > 0 }
      sweepTime = time
      markCountMax = max(1_024, 2 * marks.count)
    }
  }

  private let state = Mutex(State())

  /// What gives a front that cannot remove the newest value of a key, with the hash of the key.
  private struct Renewal {
    let hash: Int
    let run: () -> StorageAnswer<Void>
  }

  private let renewals = Mutex<[Unchecked<Renewal>]>([])
  private let renewalCount = Atomic(0)

  private init(_ root: StorageRoot?) { self.root = Unchecked(root) }

  deinit {
    guard let root = root.value else { return }
    // If others have taken the place, they may end here, without the lock.
    let others = Self.all.withLock { all in
      let others = all[Place(root)]?.marks
      if others == nil { all[Place(root)] = nil }
      return others
    }
    withExtendedLifetime(others) {}
  }

  // MARK: Of one front

  private struct Weak: Sendable {
    weak let marks: WriteMarks?
  }

  private struct Place: Hashable {
    let storage: ObjectIdentifier
    let name: String
    let level: Int

    init(_ root: StorageRoot) {
      storage = ObjectIdentifier(root.storage)
      name = root.name
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

  /// The present moment, as the number of writes that have begun or ended.
  @usableFromInline
  var now: UInt64 { state.withLock { $0.time } }

  /// Whether no write of a key began or ended since, as far as is known.
  @usableFromInline
  func isQuiet(_ hash: Int, since moment: UInt64) -> Bool {
    state.withLock { $0.isQuiet(hash, since: moment) }
  }

  /// What a writer of a key sees of the others when it begins.
  struct View {
    /// The moment it began.
    let moment: UInt64
    /// Whether nobody else writes the key, and nothing older than the back's value waits to be taken out of the front.
    let isSettled: Bool
  }

  /// The view of one who has begun to write a key.
  func view(of hash: Int) -> View {
    state.withLock { state in
      let isAlone = state.whole.writerCount == 0 && state.marks[hash]?.writerCount == 1
      let isSettled = isAlone && !state.unsettled.contains { $0 == nil || $0 == hash }
      return View(moment: state.time, isSettled: isSettled)
    }
  }

  /// Whether a key is being written.
  @usableFromInline
  func isBusy(_ hash: Int) -> Bool {
    state.withLock { $0.whole.writerCount > 0 || $0.marks[hash].map { $0.writerCount > 0 } ?? false }
  }

  /// A fill begins, which a write that goes on has to take out in the end.
  @usableFromInline
  func fill(_ hash: Int) {
    state.withLock { $0.disturb(hash) }
  }

  /// Begins a fill of a front from its back, which a write that goes on has to take out in the end.
  @usableFromInline
  func beginFill(_ hash: Int) {
    state.withLock { state in
      state.disturb(hash)
      state.unsettled.append(hash)
    }
  }

  /// Ends a fill unless a write of the key began or ended since a moment; then the front has to forget the value before.
  @usableFromInline
  func endFill(_ hash: Int, ifQuietSince moment: UInt64) -> Bool {
    state.withLock { state in
      guard state.isQuiet(hash, since: moment) else { return false }
      state.settle(hash)
      return true
    }
  }

  /// Ends a fill, or a write that was not alone, of a key or of all for nil, once the front has forgotten the value.
  @usableFromInline
  func endFill(_ hash: Int?) {
    state.withLock { $0.settle(hash) }
  }

  /// A write of a key begins, or of all for nil.
  @usableFromInline
  func begin(_ hash: Int?) {
    state.withLock { state in
      state.time += 1
      if let hash {
        state.sweep()
        state.marks[hash, default: Mark()].begin(
          at: state.time, isDisturbed: state.whole.writerCount > 0)
        state.whole.disturb()
      } else {
        state.whole.begin(
          at: state.time, isDisturbed: state.marks.values.contains { $0.writerCount > 0 })
        for hash in state.marks.keys { state.marks[hash]?.disturb() }
      }
    }
  }

  /// A write ends, however it did; whether nothing else was written or filled since it began.
  ///
  /// If something was, a writer that cleans makes the front forget the key next, and then calls `endFill`.
  @usableFromInline
  func end(_ hash: Int?, cleans: Bool) -> Bool {
    state.withLock { state in
      state.time += 1
      let wasAlone: Bool
      if let hash {
        wasAlone = state.marks[hash]?.end(at: state.time) ?? false
      } else {
        wasAlone = state.whole.end(at: state.time)
      }
      if !wasAlone, cleans { state.unsettled.append(hash) }
      return wasAlone
    }
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
        guard !isBusy(renewal.value.hash) else { return false }
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
