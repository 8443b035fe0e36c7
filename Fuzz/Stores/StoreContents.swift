package import Sediment

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// What a store holds: collections by name, the store's own keys under the empty one.
package struct StoreContents: Equatable {
  package struct Entry: Equatable {
    package var value: [UInt8]
    /// In milliseconds since 1970, 0 for never.
    package var expiry: UInt64

    package init(value: [UInt8], expiry: UInt64 = 0) {
      self.value = value
      self.expiry = expiry
    }

    package static func == (one: Entry, other: Entry) -> Bool {
      one.expiry == other.expiry && isSame(one.value, other.value)
    }
  }

  package struct Place: Hashable {
    package var collection: String
    package var key: [UInt8]

    package init(_ key: String, in collection: String = "") {
      self.init(Array(key.utf8), in: collection)
    }

    package init(_ key: [UInt8], in collection: String = "") {
      self.collection = collection
      self.key = key
    }
  }

  package var collections: [String: [[UInt8]: Entry]] = ["": [:]]

  package init() {}

  package subscript(place: Place) -> Entry? {
    get { collections[place.collection]?[place.key] }
    set { collections[place.collection, default: [:]][place.key] = newValue }
  }

  package var places: [Place] {
    collections.flatMap { name, entries in entries.keys.map { Place($0, in: name) } }
  }

  /// The same without what has expired at a time.
  package func visible(at time: UInt64) -> StoreContents {
    var contents = self
    contents.collections = collections.mapValues {
      $0.filter { $0.value.expiry == 0 || $0.value.expiry > time }
    }
    return contents
  }

  /// How much there is, for messages.
  package var summary: String {
    collections.sorted { $0.key < $1.key }.map { name, entries in
      let list = entries.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, entry in
        let name = String(decoding: key.prefix(24), as: UTF8.self)
        let value = String(decoding: entry.value.prefix(24), as: UTF8.self)
        return "\(name)=\(value.debugDescription) of \(entry.value.count), \(entry.expiry)"
      }
      return "\(name.debugDescription)[\(list.joined(separator: " "))]"
    }.joined(separator: " ")
  }
}

/// Everything that can be read in a store that may be damaged.
package struct StoreReading {
  package private(set) var contents = StoreContents()
  /// The keys that came more than once, or read otherwise than they came.
  package private(set) var contradictions: [StoreContents.Place] = []
  /// What was refused with the store's errors.
  package private(set) var errors: [SedimentError] = []

  /// Whether every key of the store is in `contents`.
  package var isWhole: Bool { errors.isEmpty }

  /// Reads by iteration, and each key again by itself, also those that are known from elsewhere.
  package init(_ store: SedimentStore, known: some Sequence<StoreContents.Place> = []) {
    for name in [""] + store.collectionNames {
      let keyspace: SedimentCollection
      switch outcome({ try name.isEmpty ? store.defaultCollection : store.collection(name) }) {
      case .success(let found): keyspace = found
      case .failure(let error):
        errors.append(error)
        continue
      }
      contents.collections[name] = [:]
      iterate(keyspace, name)
      let keys = Set(contents.places.filter { $0.collection == name })
      for place in keys.union(known.filter { $0.collection == name }) { look(keyspace, place) }
      note(outcome { try keyspace.count() })
    }
  }

  private mutating func iterate(_ keyspace: some SedimentKeyspace, _ name: String) {
    let result = outcome {
      try keyspace.forEach { key, value in
        let place = StoreContents.Place([UInt8](sedimentBytes: key), in: name)
        if contents[place] != nil { contradictions.append(place) }
        contents[place] = StoreContents.Entry(value: [UInt8](sedimentBytes: value))
        return .continue
      }
    }
    note(result)
  }

  private mutating func look(_ keyspace: some SedimentKeyspace, _ place: StoreContents.Place) {
    let found: [UInt8]?
    switch outcome({ try keyspace.retrieve(forKey: place.key) }) {
    case .success(let value): found = value
    case .failure(let error):
      errors.append(error)
      return
    }
    if let came = contents[place], !isSame(came.value, found) { contradictions.append(place) }
    guard let found else { return }
    // A key that the iteration did not come to, because it ended early.
    if contents[place] == nil {
      if isWhole { contradictions.append(place) }
      contents[place] = StoreContents.Entry(value: found)
    }
    switch outcome({ try keyspace.expiry(forKey: place.key) }) {
    case .success(.at(let time)): contents[place]?.expiry = time
    case .success: break
    case .failure(let error): errors.append(error)
    }
  }

  private mutating func note<Result>(_ result: Swift.Result<Result, SedimentError>) {
    if case .failure(let error) = result { errors.append(error) }
  }
}

/// Whether arrays are equal, found out in one go: a fuzzer would look at the comparison of each byte.
package func isSame(_ one: [UInt8]?, _ other: [UInt8]?) -> Bool {
  guard let one, let other else { return one == nil && other == nil }
  guard one.count == other.count else { return false }
  return unsafe memcmp(one, other, one.count) == 0
}
