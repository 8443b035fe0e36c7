import Sediment

extension Worker {
  /// Does its part of a step.
  func run(_ step: Step) {
    defer { account() }
    do {
      switch step.kind {
      case .fill: try fill(step)
      case .churn, .kill: try churn(step)
      case .remove: try remove(step)
      default: break
      }
    } catch is Refused {
      // What refuses a handle of a collection has been looked at.
    } catch {
      findings.add(.error, "\(error)")
    }
  }

  // MARK: Filling

  private func fill(_ step: Step) throws {
    let end = Clock.seconds + step.seconds
    var sizes = step.sizes
    var written = 0
    // A full store of an evicting kind goes on without end.
    let most = step.amount > 0 ? step.amount : evicts ? (session.settings.cap ?? 0) * 3 / 2 : Int.max
    while !session.ends, Clock.seconds < end, written < most / session.threadCount {
      let space = self.space(of: step.spaces)
      let value = newValue(sizes, step.content)
      let key = newKey(step.keySizes)
      switch try set(space, key, value, dice.isWithin(step.expiring) ? term(100) : .never) {
      case .made: written += Weight.of(key, value)
      case .closed: return
      case .refused, .notMade:
        // It is full once nothing small finds a place either.
        if sizes.most <= 64 || evicts { return }
        sizes = sizes.limited(to: max(min(value.byteCount, sizes.most) / 2, 64))
      }
    }
  }

  private func remove(_ step: Step) throws {
    let end = Clock.seconds + step.seconds
    for (space, contents) in model.spaces.sorted(by: { $0.key < $1.key }) {
      let keys = contents.entries.sorted { $0.key.number < $1.key.number }
      for (place, (key, entry)) in keys.enumerated() {
        if session.ends || Clock.seconds > end { return }
        let isChosen =
          switch step.which {
          case .all: true
          case .other: place % 2 == 1
          case .small: entry.value.byteCount <= 4096
          case .large: entry.value.byteCount > 128 << 10
          }
        if isChosen, try remove(space, key) == .closed { return }
      }
    }
  }

  // MARK: By chance

  private func churn(_ step: Step) throws {
    let end = Clock.seconds + step.seconds
    var count = 0
    while !session.ends, step.amount == 0 || count < step.amount {
      // The clock is not looked at too often.
      if count % 16 == 0 || step.sizes.most > 100_000, Clock.seconds >= end { return }
      count += 1
      do {
        try operate(step)
      } catch let refused as Refused {
        if refused.outcome == .closed { return }
      }
      if session.isClosed.isSet { return }
    }
  }

  private func operate(_ step: Step) throws {
    let space = self.space(of: step.spaces)
    let key = self.key(dice.number(below: step.keyCount), step.keySizes)
    switch step.mix {
    case .overwrites: try set(space, key, newValue(step.sizes, step.content), term(step.expiring))
    case .batches: try batch(step, count: dice.number(in: min(2, step.members)...max(step.members, 2)))
    case .reads:
      if dice.isWithin(10) {
        try set(space, key, newValue(step.sizes, step.content), term(step.expiring))
      } else {
        try read(space, key)
      }
    case .everything: try anything(space, key, step)
    }
  }

  private func anything(_ space: String, _ key: Key, _ step: Step) throws {
    switch dice.number(below: 1000) {
    case ..<300: try set(space, key, newValue(step.sizes, step.content), term(step.expiring))
    case ..<400: try remove(space, key)
    case ..<600: try read(space, key)
    case ..<640:
      let keys = (0..<dice.number(in: 1...100)).map { _ in
        self.key(dice.number(below: step.keyCount), step.keySizes)
      }
      try readMany(space, keys)
    case ..<720: try batch(step, count: dice.number(in: 1...max(step.members, 1)))
    case ..<780: try setIfAbsent(space, key, newValue(step.sizes, step.content), term(step.expiring))
    case ..<850: try update(space, key, newValue(step.sizes, step.content), term(step.expiring))
    case ..<920: try compareAndSet(space, key, newValue(step.sizes, step.content), term(step.expiring))
    case ..<970: try setExpiry(space, key, term(max(step.expiring, 30)))
    case ..<975: try reading("count") { try compareCount(space) }
    case ..<977: try refuseTooLarge(space)
    case ..<980: try setInside(space, key, step)
    case ..<982:
      try reading("sync") {
        if dice.isWithin(50) { return try session.store.sync() }
        session.store.sync { [findings] error in
          if let error, error.code != .closed { findings.add(.error, "sync(completion:) failed: \(error)") }
        }
      }
    case ..<985 where !space.isEmpty: try clear(space)
    case ..<988 where !space.isEmpty: try drop(space)
    case ..<989: try compareAll(of: [space])
    default: try read(space, model.contents(space).anyKey(&dice) ?? key)
    }
  }

  /// Sets a key while another is read in place, whose bytes must stay.
  private func setInside(_ space: String, _ key: Key, _ step: Step) throws {
    guard let other = model.contents(space).anyKey(&dice), let entry = model.contents(space)[other] else {
      return
    }
    let keyspace = try keyspace(space)
    let value = newValue(step.sizes.limited(to: 100_000), step.content)
    let bytes = value.bytes
    try reading("withValue with a set in it") {
      _ = try keyspace.withValue(forKey: other.bytes) { old in
        try change("set inside a reading", [.set(space, key, value, .never)], isInside: true) {
          try keyspace.set(bytes, forKey: key.bytes)
          return true
        }
        if !entry.value.isEqual(to: old, &buffer) {
          findings.add(.value, "\(name(space, other)) changed while it was read in place")
        }
      }
    }
  }

  private func refuseTooLarge(_ space: String) throws {
    let keyspace = try keyspace(space)
    do {
      try keyspace.set([1, 2, 3], forKey: [UInt8](repeating: 1, count: 65_536))
      findings.add(.error, "a key of 65,536 bytes was taken")
    } catch let error as SedimentError where error.code == .tooLarge || error.code == .closed {}
  }
}
