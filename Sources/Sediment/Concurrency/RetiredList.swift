/// What a store has unlinked and readers may still hold, until it may be freed.
///
/// Retired is only what no reader can find any more. A collection frees what no reader holds and leaves the
/// rest; it never waits for a reader. Collections happen as things are retired, once so many are pending that
/// the effort is shared among them: after one that leaves *n*, the next waits for twice as many. What is
/// pending is therefore bounded by what readers hold plus as much again plus a constant.
///
/// Every method may be called from any thread. The actions of a collection run on the thread that collects,
/// with none of this list's locks taken, so they may retire more.
package final class RetiredList: Sendable {
  // A pointer in the list is owned by the list, and read by readers at most, until the thread that takes it out frees it.
  private let list = Locked(.leaf, Pending())
  private let domain: ReaderDomain

  /// A list of what readers of this domain may hold.
  package init(of domain: ReaderDomain) {
    self.domain = domain
  }

  /// Frees everything: when the list goes away with its store, no reader is inside.
  deinit {
    for retired in list.withLock({ list in list.retired }) { retired.free(by: nil) }
  }

  /// Takes over memory that `allocate(byteCount:alignment:)` returned, to deallocate it.
  package func retire(_ memory: UnsafeMutableRawPointer, byteCount: Int) {
    unsafe add(.memory(memory), byteCount: byteCount)
  }

  /// Takes over something that costs so many bytes until the action frees it.
  package func retire(byteCount: Int = 0, action: @escaping @Sendable () -> Void) {
    add(.action { _ in action() }, byteCount: byteCount)
  }

  /// Takes over something that an action frees, which may retire more to the list that is passed to it: this list, or nil
  /// when this list goes away itself.
  package func retirePassingList(_ action: @escaping @Sendable (RetiredList?) -> Void) {
    add(.action(action), byteCount: 0)
  }

  /// Frees what no reader holds any more, and returns how many things that were.
  @discardableResult
  package func collect() -> Int {
    let past = list.withLock { list in list.takePast(domain) }
    for retired in past { retired.free(by: self) }
    return past.count
  }

  /// How many things are retired and not freed.
  package var pendingCount: Int { list.withLock { list in list.retired.count } }

  /// How many bytes these cost.
  package var pendingByteCount: Int { list.withLock { list in list.byteCount } }

  private func add(_ content: Retired.Content, byteCount: Int) {
    let past = list.withLock { list in
      // The tags rise, because they are made under the lock.
      list.retired.append(Retired(tag: Readers.advance(), byteCount: byteCount, content: content))
      list.byteCount += byteCount
      return list.isWorthCollecting ? list.takePast(domain) : []
    }
    for retired in past { retired.free(by: self) }
  }
}

/// What is retired and not freed, and how much of it makes a collection worth its while.
private struct Pending {
  var retired: [Retired] = []
  var byteCount = 0
  private var countToCollect = countMin
  private var byteCountToCollect = byteCountMin

  private static let countMin = 8
  private static let byteCountMin = 512 << 10

  var isWorthCollecting: Bool { retired.count > countToCollect || byteCount > byteCountToCollect }

  /// Takes out what no reader holds any more.
  mutating func takePast(_ domain: ReaderDomain) -> [Retired] {
    guard !retired.isEmpty else { return [] }
    let oldest = Readers.oldestEpoch(in: domain)
    let past = Array(retired.prefix { $0.tag < oldest })
    retired.removeFirst(past.count)
    for retired in past { byteCount -= retired.byteCount }
    countToCollect = max(Self.countMin, 2 * retired.count)
    byteCountToCollect = max(Self.byteCountMin, 2 * byteCount)
    return past
  }
}

private struct Retired {
  // Safe: whoever frees the memory has taken it out of the list, once.
  @safe enum Content {
    case memory(UnsafeMutableRawPointer)
    case action(@Sendable (RetiredList?) -> Void)
  }

  let tag: UInt64
  let byteCount: Int
  let content: Content

  func free(by list: RetiredList?) {
    switch content {
    case .memory(let memory): unsafe memory.deallocate()
    case .action(let action): action(list)
    }
  }
}
