import Foundation
import Sediment

extension Case {
  /// Lets another process write to the store, kills it, and compares what is there with what it told.
  func kill(_ step: Step) throws {
    try forgetEvicted()
    try session.close()
    lifeCount += 1
    let child = try Child(self, step)
    let isEarly = dice.isWithin(20)
    if !isEarly { child.waitForFirst() }
    let most = isEarly ? 60 : Int(min(step.seconds, 1.5) * 1000)
    usleep(UInt32(dice.number(in: 0...most)) * 1000)
    let messages = child.kill(findings)
    if dice.isWithin(25) {
      // And another, that is killed while it recovers.
      lifeCount += 1
      let second = try Child(self, step, isIdle: true)
      usleep(UInt32(dice.number(in: 0...40)) * 1000)
      _ = second.kill(findings)
    }
    let killed = Clock.now
    try verify(path, "after a kill", allowing: { !$0.kind.isDamage })
    try move(to: settings)
    var pending: [Int: (changes: [Change], begin: UInt64)] = [:]
    for message in messages {
      switch message {
      case .begin(let thread, let time, let changes): pending[thread] = (changes, time)
      case .end(let thread, let time, let isMade):
        if isMade, let known = pending[thread] {
          workers[thread].model.apply(known.changes, from: known.begin, to: time)
        }
        pending[thread] = nil
      default: break
      }
    }
    for (thread, known) in pending {
      try settle(workers[thread], known.changes, known.begin, killed)
    }
    for worker in workers {
      worker.renumber()
      worker.account()
    }
    account.forget()
    try compare()
  }

  /// Finds out whether a change is there that nobody was told of; all of it must be, or nothing.
  private func settle(_ worker: Worker, _ changes: [Change], _ begin: UInt64, _ killed: UInt64) throws {
    var after = worker.model
    after.apply(changes, from: begin, to: killed)
    let names = Set(store.collectionNames)
    if changes.contains(where: \.isOfCollections) {
      if try isLike(after, changes, names) { worker.model = after }
      return
    }
    var isNew = true
    var isOld = true
    for change in changes {
      guard case (let space, let key)? = change.key else { continue }
      if !space.isEmpty, !names.contains(space) { continue }
      let keyspace = try space.isEmpty ? store.defaultCollection : store.collection(space)
      let found = try keyspace.retrieve(forKey: key.bytes)
      isNew = isNew && accepts(found, after.spaces[space]?[key])
      isOld = isOld && accepts(found, worker.model.spaces[space]?[key])
    }
    if isNew {
      worker.model = after
    } else if !isOld {
      findings.add(.kill, "a change of \(changes.count) keys under way at the kill is there in part")
    }
    // A change of the expiry alone does not show in the value.
    for change in changes {
      guard case .live(let space, let key, _) = change, let old = worker.model.spaces[space]?[key] else {
        continue
      }
      let keyspace = try space.isEmpty ? store.defaultCollection : store.collection(space)
      switch try keyspace.expiry(forKey: key.bytes) {
      case .at(let time):
        worker.model.settle(space, key, .init(old.value, Life(earliest: time, latest: time)))
      case .never: worker.model.settle(space, key, .init(old.value, .forEver))
      default: worker.model.settle(space, key, .init(old.value, Life(earliest: 0, latest: killed)))
      }
    }
  }

  private func isLike(_ model: Model, _ changes: [Change], _ names: Set<String>) throws -> Bool {
    for change in changes {
      switch change {
      case .create(let space): return names.contains(space)
      case .drop(let space): return !names.contains(space)
      case .clear(let space):
        let keyspace = try space.isEmpty ? store.defaultCollection : store.collection(space)
        var isEmpty = true
        try keyspace.forEachKey(withPrefix: "") { _ in
          isEmpty = false
          return .stop
        }
        return isEmpty
      default: break
      }
    }
    return false
  }

  private func accepts(_ found: [UInt8]?, _ entry: Contents.Entry?) -> Bool {
    guard let found else {
      return settings.evicts || (entry?.life.state(from: Clock.now, to: Clock.now) ?? .absent) != .present
    }
    var buffer: [UInt8] = []
    guard let entry, entry.life.state(from: Clock.now, to: Clock.now) != .absent else { return false }
    return unsafe entry.value.isEqual(to: found.span.bytes, &buffer)
  }
}

extension Change {
  /// Whether it is about whole keyspaces.
  fileprivate var isOfCollections: Bool {
    switch self {
    case .set, .remove, .live: false
    default: true
    }
  }

  fileprivate var key: (String, Key)? {
    switch self {
    case .set(let space, let key, _, _), .remove(let space, let key), .live(let space, let key, _):
      (space, key)
    default: nil
    }
  }
}
