import Sediment

extension Worker {
  func term(_ expiring: Int) -> Term {
    guard dice.isWithin(expiring) else { return dice.isWithin(10) && !evicts ? .unchanged : .never }
    return switch dice.number(below: 6) {
    case 0: .after(milliseconds: 3_600_000)
    case 1: .at(milliseconds: Clock.now + UInt64(dice.number(below: 2000)))
    case 2: .at(milliseconds: UInt64(dice.number(below: 3)))
    case 3: .after(milliseconds: -dice.number(below: 1000))
    default: .after(milliseconds: dice.number(below: 1500))
    }
  }

  func expiry(_ term: Term) -> SedimentExpiry {
    switch term {
    case .never: .never
    case .unchanged: .unchanged
    case .after(let milliseconds): .after(.milliseconds(milliseconds))
    case .at(let milliseconds): .at(milliseconds: milliseconds)
    }
  }

  private func durability() -> SedimentDurability? {
    dice.one(weighted: [(30, nil), (2, .unsynced), (2, .interval(.milliseconds(50))), (1, .synced)])
  }

  /// Whether a key has a value, as far as it is known.
  private func presence(_ space: String, _ key: Key) -> Life.Presence {
    model.contents(space)[key]?.life.state(from: Clock.now, to: Clock.now + 20) ?? .absent
  }

  // MARK: One key

  @discardableResult
  func set(_ space: String, _ key: Key, _ value: Value, _ term: Term = .never) throws -> Outcome {
    let keyspace = try keyspace(space)
    value.fill(&buffer)
    return try change("set", [.set(space, key, value, term)]) {
      switch term {
      case .never where dice.isWithin(50):
        try keyspace.set(buffer, forKey: key.bytes, durability: durability())
      case .after(let milliseconds) where dice.isWithin(50):
        try keyspace.set(buffer, forKey: key.bytes, expiresIn: .milliseconds(milliseconds))
      default: try keyspace.set(buffer, forKey: key.bytes, expiry: expiry(term), durability: durability())
      }
      return true
    }
  }

  @discardableResult
  func remove(_ space: String, _ key: Key) throws -> Outcome {
    let keyspace = try keyspace(space)
    let expected = presence(space, key)
    var hadValue = false
    let begin = Clock.now
    let outcome = try change("remove", [.remove(space, key)], isRemoval: true) {
      hadValue = try keyspace.remove(forKey: key.bytes)
      return true
    }
    if outcome == .made, Clock.now < begin + 20 {
      judge(hadValue, as: expected, space, key, "remove")
    }
    return outcome
  }

  func setIfAbsent(_ space: String, _ key: Key, _ value: Value, _ term: Term) throws {
    let keyspace = try keyspace(space)
    let expected = presence(space, key)
    let term = term == .unchanged ? .never : term
    value.fill(&buffer)
    let begin = Clock.now
    let outcome = try change("setIfAbsent", [.set(space, key, value, term)]) {
      try keyspace.setIfAbsent(buffer, forKey: key.bytes, expiry: expiry(term), durability: durability())
    }
    guard Clock.now < begin + 20, outcome == .made || outcome == .notMade else { return }
    judge(outcome == .notMade, as: expected, space, key, "setIfAbsent")
  }

  func update(_ space: String, _ key: Key, _ value: Value, _ term: Term) throws {
    let keyspace = try keyspace(space)
    let entry = model.contents(space)[key]
    let removes = dice.isWithin(10)
    let begin = Clock.now
    let changes: [Change] = removes ? [.remove(space, key)] : [.set(space, key, value, term)]
    value.fill(&secondBuffer)
    let new = secondBuffer
    try change("update", changes, isRemoval: removes) {
      try keyspace.update(forKey: key.bytes, expiry: expiry(term), durability: durability()) { old in
        judge(unsafe old?.span.bytes, entry, space, key, begin, "update")
        return removes ? nil : new
      }
      return true
    }
  }

  func compareAndSet(_ space: String, _ key: Key, _ value: Value, _ term: Term) throws {
    let keyspace = try keyspace(space)
    let entry = model.contents(space)[key]
    let expected = presence(space, key)
    let isRight = dice.isWithin(80)
    let begin = Clock.now
    let old: [UInt8]? = isRight ? expected == .absent ? nil : entry?.value.bytes : [1, 2, 3]
    let outcome = try change("compareAndSet", [.set(space, key, value, term)]) {
      try keyspace.compareAndSet(
        forKey: key.bytes, expected: old, new: value.bytes, expiry: expiry(term), durability: durability())
    }
    guard Clock.now < begin + 20, outcome == .made || outcome == .notMade, expected != .either else { return }
    if !isRight, outcome == .made, entry?.value.byteCount != 3 {
      findings.add(.value, "compareAndSet of \(name(space, key)) took another value for its own")
    } else if isRight, outcome == .notMade, !evicts {
      findings.add(.value, "compareAndSet of \(name(space, key)) did not take its value for its own")
    }
  }

  func setExpiry(_ space: String, _ key: Key, _ term: Term) throws {
    let keyspace = try keyspace(space)
    let expected = presence(space, key)
    let weight = model.contents(space)[key].map { Weight.of(key, $0.value) } ?? 0
    let begin = Clock.now
    account(adding: weight)
    let outcome = try change("setExpiry", [.live(space, key, term)], isInside: true) {
      try keyspace.setExpiry(expiry(term), forKey: key.bytes, durability: durability())
    }
    guard Clock.now < begin + 20, outcome == .made || outcome == .notMade else { return }
    judge(outcome == .made, as: expected, space, key, "setExpiry")
  }

  private func judge(_ isThere: Bool, as expected: Life.Presence, _ space: String, _ key: Key, _ way: String)
  {
    if isThere, expected == .absent {
      findings.add(.value, "\(way) of \(name(space, key)) says that it had a value, which it has not")
    } else if !isThere, expected == .present, !evicts {
      findings.add(.value, "\(way) of \(name(space, key)) says that it had no value, which it has")
    }
  }

  // MARK: Several

  /// A batch of changes by chance; each of a key that may be among them already.
  @discardableResult
  func batch(_ step: Step, count: Int) throws -> Outcome {
    var changes: [Change] = []
    var used: [(String, Key)] = []
    var spaces: [String: SedimentCollection] = [:]
    var byteCount = 0
    for _ in 0..<count where byteCount < 100 << 20 {
      var space = self.space(of: step.spaces)
      var key = self.key(dice.number(below: step.keyCount), step.keySizes)
      if dice.isWithin(step.again), !used.isEmpty { (space, key) = dice.one(of: used) }
      if !space.isEmpty { spaces[space] = try collection(space) }
      used.append((space, key))
      if dice.isWithin(step.mix == .everything ? 20 : 0) {
        changes.append(.remove(space, key))
      } else {
        let value = newValue(step.sizes, step.content)
        byteCount += value.byteCount + Int(key.byteCount)
        let isShort = dice.isWithin(step.expiring)
        changes.append(
          .set(space, key, value, isShort ? .after(milliseconds: dice.number(below: 1500)) : .never))
      }
    }
    let allowed = changes
    return try change("batch of \(allowed.count)", allowed) {
      try session.store.batch(durability: durability()) { batch in
        for change in allowed { add(change, to: &batch, spaces) }
      }
      return true
    }
  }

  private func add(_ change: Change, to batch: inout SedimentBatch, _ spaces: [String: SedimentCollection]) {
    switch change {
    case .set(let space, let key, let value, let term):
      var duration: Duration?
      if case .after(let milliseconds) = term { duration = .milliseconds(milliseconds) }
      value.fill(&buffer)
      if let collection = spaces[space] {
        batch.set(buffer, forKey: key.bytes, in: collection, expiresIn: duration)
      } else {
        batch.set(buffer, forKey: key.bytes, expiresIn: duration)
      }
    case .remove(let space, let key):
      if let collection = spaces[space] {
        batch.remove(forKey: key.bytes, in: collection)
      } else {
        batch.remove(forKey: key.bytes)
      }
    default: break
    }
  }

  // MARK: Collections

  func clear(_ space: String) throws {
    let keyspace = try keyspace(space)
    try change("removeAll", [.clear(space)], isRemoval: true) {
      try keyspace.removeAll(durability: durability())
      return true
    }
  }

  /// Drops a collection, whose handle is none from then on.
  func drop(_ space: String) throws {
    let old = release(space)
    let outcome = try change("dropCollection", [.drop(space)], isRemoval: true) {
      try session.store.dropCollection(space, durability: durability())
    }
    guard outcome == .made, let old else { return }
    do {
      _ = try old.retrieve(forKey: [1])
      findings.add(.error, "a handle of a collection that was dropped can be read from")
    } catch let error as SedimentError where error.code == .collectionDropped {
    } catch let error as SedimentError where error.code == .closed {
    } catch {
      findings.add(.error, "a handle of a collection that was dropped threw \(error)")
    }
  }
}
