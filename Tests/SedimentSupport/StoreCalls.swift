package import Sediment

/// Every call that reads a keyspace.
package enum StoreReading: CaseIterable {
  case bytes, missing, text, buffer, inPlace, many, manyInPlace, contains, expiry, count, forEach, prefix,
    keys

  /// Reads the key "key" where it takes one.
  package func make(in space: SedimentKeyspace) throws {
    switch self {
    case .bytes: _ = try space.retrieve(forKey: "key")
    case .missing: _ = try space.retrieve(forKey: "never there")
    case .text: _ = try space.retrieve(forKey: "key", as: String.self)
    case .buffer:
      var buffer: [UInt8] = []
      _ = try space.retrieve(forKey: "key", into: &buffer)
    case .inPlace: _ = try space.withValue(forKey: "key") { $0.byteCount }
    case .many: _ = try space.retrieve(forKeys: ["key", "never there"])
    case .manyInPlace: try space.withValues(forKeys: ["key"]) { _, _ in }
    case .contains: _ = try space.contains("key")
    case .expiry: _ = try space.expiry(forKey: "key")
    case .count: _ = try space.count()
    case .forEach: try space.forEach { _, _ in .continue }
    case .prefix: try space.forEachKey(withPrefix: "k") { _ in .continue }
    case .keys: _ = try space.keys()
    }
  }
}

/// Every call that changes a keyspace.
package enum StoreChange: CaseIterable {
  case set, setLarge, setExpiring, setWithExpiry, setIfAbsent, remove, update, updateToNothing, exchange
  case changeExpiry, removeAll

  /// Makes a change that is one, if the key "key" has the value 7 and "absent" none.
  package func make(in space: SedimentKeyspace, _ durability: SedimentDurability? = nil) throws {
    switch self {
    case .set: try space.set("new", forKey: "key", durability: durability)
    case .setLarge: try space.set(pattern(200_000), forKey: "key", durability: durability)
    case .setExpiring: try space.set("new", forKey: "key", expiresIn: .seconds(1), durability: durability)
    case .setWithExpiry:
      try space.set("new", forKey: "key", expiry: .at(milliseconds: 1 << 47), durability: durability)
    case .setIfAbsent: try space.setIfAbsent("new", forKey: "absent", durability: durability)
    case .remove: try space.remove(forKey: "key", durability: durability)
    case .update: try space.update(forKey: "key", durability: durability) { _ in [1] }
    case .updateToNothing: try space.update(forKey: "key", durability: durability) { _ in nil }
    case .exchange: try space.compareAndSet(forKey: "key", expected: [7], new: [8], durability: durability)
    case .changeExpiry: try space.setExpiry(.after(.seconds(5)), forKey: "key", durability: durability)
    case .removeAll: try space.removeAll(durability: durability)
    }
  }
}

/// Every call that changes a store beyond one keyspace.
package enum WholeStoreChange: CaseIterable {
  case batch, largeBatch, removeEverything, dropCollection, newCollection

  /// Makes a change that is one, if the key "key" has the value 7 and there is a collection "users".
  package func make(in store: SedimentStore, _ durability: SedimentDurability? = nil) throws {
    switch self {
    case .batch: try store.batch(durability: durability) { $0.set("new", forKey: "key") }
    case .largeBatch: try store.batch(durability: durability) { $0.set(pattern(200_000), forKey: "key") }
    case .removeEverything: try store.removeEverything(durability: durability)
    case .dropCollection: try store.dropCollection("users", durability: durability)
    case .newCollection: _ = try store.collection("another")
    }
  }
}

/// One of all changes.
package enum AnyChange: CaseIterable, CustomStringConvertible {
  case ofKeys(StoreChange)
  case ofStore(WholeStoreChange)

  package static var allCases: [AnyChange] {
    StoreChange.allCases.map { .ofKeys($0) } + WholeStoreChange.allCases.map { .ofStore($0) }
  }

  package var description: String {
    switch self {
    case .ofKeys(let change): "\(change)"
    case .ofStore(let change): "\(change)"
    }
  }

  package func make(in store: SedimentStore, _ durability: SedimentDurability? = nil) throws {
    switch self {
    case .ofKeys(let change): try change.make(in: store, durability)
    case .ofStore(let change): try change.make(in: store, durability)
    }
  }

  /// What the changes above expect to find.
  package static func prepare(_ store: SedimentStore) throws {
    try store.set([7] as [UInt8], forKey: "key")
    _ = try store.collection("users")
  }
}

/// All that a store holds, in lines that can be compared.
package func contents(of store: SedimentStore) throws -> [String] {
  var lines: [String] = []
  for name in [nil] + store.collectionNames {
    let space: SedimentKeyspace = try name.map { try store.collection($0) } ?? store
    if let name { lines.append(name) }
    for key in try space.keys() {
      let value = try space.retrieve(forKey: key) ?? []
      let expiry = try space.expiry(forKey: key)
      lines.append("\(key) = \(value.count) bytes \(value.prefix(4)), \(expiry.map { "\($0)" } ?? "gone")")
    }
  }
  return lines
}
