package import Sediment

// What an operation does to a store, and what to the model of one.

extension CrashOperation {
  /// Does it to a store; what concerns a simulated disk or an opening is left to others.
  package func carryOut(on store: SedimentStore, number: Int) throws {
    func keys(_ name: String) throws -> SedimentCollection {
      try name.isEmpty ? store.defaultCollection : store.collection(name)
    }
    func expiry(_ lifetime: Duration?) -> SedimentExpiry { lifetime.map { .after($0) } ?? .never }
    switch self {
    case .set(let place, let byteCount, let lifetime, let durability):
      try keys(place.collection).set(
        Self.value(number, place, byteCount), forKey: place.key, expiry: expiry(lifetime),
        durability: durability)
    case .remove(let place, let durability):
      try keys(place.collection).remove(forKey: place.key, durability: durability)
    case .batch(let members, let durability):
      let collections = try members.map { member in
        try member.place.collection.isEmpty ? nil : keys(member.place.collection)
      }
      try store.batch(durability: durability) { batch in
        for (member, collection) in zip(members, collections) {
          Self.add(member.place, member.byteCount, number, collection, to: &batch)
        }
      }
    case .update(let place, let durability):
      try keys(place.collection).update(forKey: place.key, durability: durability) {
        Self.updated(number, place, $0)
      }
    case .setIfAbsent(let place, let byteCount, let durability):
      try keys(place.collection).setIfAbsent(
        Self.value(number, place, byteCount), forKey: place.key, durability: durability)
    case .setExpiry(let place, let lifetime, let durability):
      try keys(place.collection).setExpiry(expiry(lifetime), forKey: place.key, durability: durability)
    case .clear(let name, let durability): try keys(name).removeAll(durability: durability)
    case .create(let name): _ = try store.collection(name)
    case .drop(let name, let durability): try store.dropCollection(name, durability: durability)
    case .removeEverything(let durability): try store.removeEverything(durability: durability)
    case .sync: try store.sync()
    case .checkpoint: try store.checkpoint()
    case .compact: try store.compact()
    case .erase: try store.compact(erasing: true)
    case .storeIndex: try store.storeIndex()
    case .wait, .pass, .jump, .background, .reopen: break
    }
  }

  private static func add(
    _ place: Place, _ byteCount: Int?, _ number: Int, _ collection: SedimentCollection?,
    to batch: inout SedimentBatch
  ) {
    let value = byteCount.map { Self.value(number, place, $0) }
    switch (value, collection) {
    case (let value?, let collection?): batch.set(value, forKey: place.key, in: collection)
    case (let value?, nil): batch.set(value, forKey: place.key)
    case (nil, let collection?): batch.remove(forKey: place.key, in: collection)
    case (nil, nil): batch.remove(forKey: place.key)
    }
  }
}

extension CrashContents {
  /// Does to the model what an operation of that number does to a store at that time.
  package mutating func apply(_ operation: CrashOperation, number: Int, time: UInt64) {
    noteClock(time)
    func expiry(_ lifetime: Duration?) -> UInt64 {
      lifetime.map { time + UInt64($0 / .milliseconds(1)) } ?? 0
    }
    switch operation {
    case .set(let place, let byteCount, let lifetime, _):
      self[place] = Entry(value: CrashOperation.value(number, place, byteCount), expiry: expiry(lifetime))
    case .remove(let place, _):
      self[place] = nil
    case .batch(let members, _):
      for (place, byteCount) in members {
        self[place] = byteCount.map { Entry(value: CrashOperation.value(number, place, $0)) }
      }
    case .update(let place, _):
      let old = visible(place, at: time)
      self[place] = Entry(
        value: CrashOperation.updated(number, place, old?.value), expiry: old?.expiry ?? 0)
    case .setIfAbsent(let place, let byteCount, _):
      if visible(place, at: time) == nil {
        self[place] = Entry(value: CrashOperation.value(number, place, byteCount))
      }
    case .setExpiry(let place, let lifetime, _):
      if let old = visible(place, at: time) {
        self[place] = Entry(value: old.value, expiry: expiry(lifetime))
      }
    case .clear(let name, _): collections[name] = [:]
    case .create(let name): collections[name] = collections[name] ?? [:]
    case .drop(let name, _): collections[name] = nil
    case .removeEverything: collections = collections.mapValues { _ in [:] }
    case .wait:
      note(time + UInt64(CrashOperation.interval / .milliseconds(1)), after: CrashOperation.interval)
    case .pass(let duration): note(time + UInt64(duration / .milliseconds(1)), after: duration)
    case .erase: noteErased(at: time)
    case .jump(let distance): note(ClockJump.time(time, after: distance))
    case .sync, .checkpoint, .compact, .storeIndex, .background, .reopen: break
    }
  }

  private subscript(place: CrashOperation.Place) -> Entry? {
    get { collections[place.collection]?[place.key] }
    set { collections[place.collection, default: [:]][place.key] = newValue }
  }

  private func visible(_ place: CrashOperation.Place, at time: UInt64) -> Entry? {
    self[place].flatMap { $0.expiry == 0 || $0.expiry > time ? $0 : nil }
  }
}
