import Sediment

// Changes of single keys and batches.

extension ModelRun {
  mutating func set() throws {
    let (name, key, value) = (choices.name(), choices.key(), choices.value())
    guard let space = try space(name) else { return }
    let asked = choices.expiry(at: model.clock)
    let durability = choices.durability()
    if choices.isOne(of: 4) {
      var isSet = false
      let isDone = try isDone(byteCount: value.count) {
        isSet = try space.setIfAbsent(value, forKey: key, expiry: asked, durability: durability)
      }
      guard isDone else { return }
      model.note(key, in: name, isThere: !isSet)
      try expect(isSet == (model.entry(key, in: name) == nil), "set if absent")
      if isSet { model.set(value, key, in: name, expiry: time(of: asked, nil)) }
      return
    }
    let isDone = try isDone(byteCount: value.count) {
      try space.set(value, forKey: key, expiry: asked, durability: durability)
    }
    guard isDone else { return }
    try noteExpiry(asked, key, space, name)
    model.set(value, key, in: name, expiry: time(of: asked, model.entry(key, in: name)))
  }

  /// Finds out by the expiry of what was set whether the value before it was there.
  private mutating func noteExpiry(
    _ asked: SedimentExpiry, _ key: [UInt8], _ space: SedimentCollection, _ name: String
  ) throws {
    guard asked == .unchanged, let old = model.entry(key, in: name), old.expiry != 0 else { return }
    if try space.expiry(forKey: key) == .never { model.note(key, in: name, isThere: false) }
  }

  mutating func remove() throws {
    let (name, key, durability) = (choices.name(), choices.key(), choices.durability())
    guard let space = try space(name) else { return }
    var wasThere = false
    guard try isDone({ wasThere = try space.remove(forKey: key, durability: durability) }) else { return }
    model.note(key, in: name, isThere: wasThere)
    try expect(wasThere == (model.entry(key, in: name) != nil), "remove")
    model.remove(key, in: name)
  }

  mutating func change() throws {
    let (name, key) = (choices.name(), choices.key())
    guard let space = try space(name) else { return }
    switch choices.number(below: 3) {
    case 0: try update(key, space, name)
    case 1: try compareAndSet(key, space, name)
    default: try setExpiry(key, space, name)
    }
  }

  private mutating func update(_ key: [UInt8], _ space: SedimentCollection, _ name: String) throws {
    let new = choices.isOne(of: 3) ? nil : choices.value()
    let asked = choices.expiry(at: model.clock)
    var seen: [UInt8]?
    let isDone = try isDone(byteCount: new?.count ?? 0) {
      try space.update(forKey: key, expiry: asked) { old in
        seen = old
        return new
      }
    }
    model.note(key, in: name, isThere: seen != nil)
    let old = model.entry(key, in: name)
    try expect(seen == old?.value, "what an update sees")
    if isDone { replace(key, in: name, by: new, time(of: asked, old)) }
  }

  private mutating func compareAndSet(
    _ key: [UInt8], _ space: SedimentCollection, _ name: String
  ) throws {
    let new = choices.isOne(of: 3) ? nil : choices.value()
    let asked = choices.expiry(at: model.clock)
    let present = model.entry(key, in: name)?.value
    let isExpected = !choices.isOne(of: 3)
    let expected = isExpected ? present : (present == nil ? [1] : nil)
    var isSet = false
    let isDone = try isDone(byteCount: new?.count ?? 0) {
      isSet = try space.compareAndSet(forKey: key, expected: expected, new: new, expiry: asked)
    }
    guard isDone else { return }
    // Where the two differ, the key is gone.
    if present != nil, isSet != isExpected { model.note(key, in: name, isThere: false) }
    let old = model.entry(key, in: name)
    try expect(isSet == (expected == old?.value), "compare and set")
    if isSet { replace(key, in: name, by: new, time(of: asked, old)) }
  }

  private mutating func setExpiry(_ key: [UInt8], _ space: SedimentCollection, _ name: String) throws {
    let asked = choices.expiry(at: model.clock)
    var wasThere = false
    guard try isDone({ wasThere = try space.setExpiry(asked, forKey: key) }) else { return }
    model.note(key, in: name, isThere: wasThere)
    let old = model.entry(key, in: name)
    try expect(wasThere == (old != nil), "set the expiry")
    if let old { model.set(old.value, key, in: name, expiry: time(of: asked, old)) }
  }

  private mutating func replace(
    _ key: [UInt8], in name: String, by value: [UInt8]?, _ expiry: UInt64
  ) {
    if let value {
      model.set(value, key, in: name, expiry: expiry)
    } else if model.entry(key, in: name) != nil {
      model.remove(key, in: name)
    }
  }

  /// What an expiry comes to that is asked for now.
  private func time(of expiry: SedimentExpiry, _ old: ModelContents.Entry?) -> UInt64 {
    switch expiry {
    case .never: 0
    case .unchanged: old?.expiry ?? 0
    case .after(let duration): model.clock + UInt64(duration / .milliseconds(1))
    case .at(let time): time
    }
  }

  mutating func batch() throws {
    let name = choices.collectionName()
    guard let collection = try space(name) else { return }
    let members = choices.members(of: ["", name])
    let isAbandoned = choices.isOne(of: 6)
    do {
      let isDone = try isDone(byteCount: members.reduce(0) { $0 + ($1.value?.count ?? 0) }) {
        try store.batch(durability: choices.durability()) { batch in
          for member in members { batch.add(member, collection) }
          if isAbandoned { throw Abandonment() }
        }
      }
      guard isDone else { return }
    } catch is Abandonment {
      return
    }
    for member in members {
      if let value = member.value {
        let expiry = member.lifetime.map { model.clock + UInt64($0 / .milliseconds(1)) } ?? 0
        model.set(value, member.key, in: member.name, expiry: expiry)
      } else {
        model.remove(member.key, in: member.name)
      }
    }
  }
}

/// A batch was given up by its closure.
private struct Abandonment: Error {}

extension SedimentBatch {
  /// Adds a change of a key of the store, or of the collection.
  fileprivate mutating func add(_ member: ModelChoices.Member, _ collection: SedimentCollection) {
    switch (member.value, member.name.isEmpty) {
    case (let value?, true): set(value, forKey: member.key, expiresIn: member.lifetime)
    case (let value?, false): set(value, forKey: member.key, in: collection, expiresIn: member.lifetime)
    case (nil, true): remove(forKey: member.key)
    case (nil, false): remove(forKey: member.key, in: collection)
    }
  }
}
