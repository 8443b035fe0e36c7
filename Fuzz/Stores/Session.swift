package import Sediment
package import SedimentTesting

/// What is done with a store that was opened.
package struct Uses: OptionSet {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let set = Uses(rawValue: 1)
  package static let remove = Uses(rawValue: 2)
  package static let batch = Uses(rawValue: 4)
  package static let setLarge = Uses(rawValue: 8)
  package static let clear = Uses(rawValue: 16)
  package static let storeIndex = Uses(rawValue: 32)
  package static let compact = Uses(rawValue: 64)
  package static let passTime = Uses(rawValue: 128)
}

/// A store in use, with what it should hold.
package struct Session {
  private let store: SedimentStore
  private var contents: StoreContents
  private let certainty: Certainty
  /// What was done here, also what was removed.
  private var touched: Set<StoreContents.Place> = []
  /// Whether a change had an unknown outcome.
  private var isPoisoned = false
  /// Whether the store has stored an index here, in the place of any that the file had.
  package private(set) var hasStoredIndex = false
  private var time: UInt64 = 0

  /// Of what it is known what a store must hold.
  package enum Certainty {
    /// Of all keys.
    case all
    /// Of those that were changed in the session.
    case touched
    /// Of none: the file tells lies.
    case none
  }

  package init(_ store: SedimentStore, _ contents: StoreContents, _ certainty: Certainty) {
    self.store = store
    self.contents = contents
    self.certainty = certainty
  }

  /// Does what the options name: first what users change, then what the store does with it; and syncs it.
  package mutating func carryOut(_ uses: Uses, on disk: SimulatedDisk) {
    let old =
      contents.places.filter { $0.collection.isEmpty }
      .min { $0.key.lexicographicallyPrecedes($1.key) } ?? StoreContents.Place("old")
    if uses.contains(.set) {
      set([1, 2, 3], StoreContents.Place("new"))
      set([], old)
    }
    if uses.contains(.remove) {
      attempt([old], { $0[old] = nil }) { try $0.remove(forKey: old.key) }
    }
    if uses.contains(.batch) { batch() }
    if uses.contains(.setLarge) {
      set([UInt8](repeating: 9, count: 131_100), StoreContents.Place("large, new"))
    }
    if uses.contains(.clear), let name = contents.collections.keys.sorted().last {
      clear(name)
    }
    if uses.contains(.passTime) {
      disk.advanceClocks(by: .seconds(7))
      time = disk.wallClock()
      attempt([], { _ in }) { try $0.checkpoint() }
    }
    if uses.contains(.storeIndex) {
      var isStored = false
      attempt([], { _ in }) { isStored = try $0.storeIndex() }
      hasStoredIndex = isStored
    }
    if uses.contains(.compact) { attempt([], { _ in }) { try $0.compact() } }
    attempt([], { _ in }) { try $0.sync() }
  }

  private mutating func set(_ value: [UInt8], _ place: StoreContents.Place) {
    attempt([place], { $0[place] = StoreContents.Entry(value: value) }) {
      try $0.set(value, forKey: place.key, expiry: .never)
    }
  }

  private mutating func batch() {
    let name = "one"
    attempt([], { $0.collections[name, default: [:]] = $0.collections[name] ?? [:] }) {
      _ = try $0.collection(name)
    }
    let places = [StoreContents.Place("batched"), StoreContents.Place("batched", in: name)]
    attempt(
      places,
      { contents in
        for place in places { contents[place] = StoreContents.Entry(value: [4]) }
      }
    ) { store in
      let collection = try store.collection(name)
      try store.batch { batch in
        batch.set([4], forKey: "batched")
        batch.set([4], forKey: "batched", in: collection)
      }
    }
  }

  private mutating func clear(_ name: String) {
    let places = Set(contents.places.filter { $0.collection == name })
    attempt(places.union(touched.filter { $0.collection == name }), { $0.collections[name] = [:] }) {
      try name.isEmpty ? $0.removeAll() : $0.collection(name).removeAll()
    }
  }

  /// Makes a change; one that is refused changes nothing.
  private mutating func attempt<Result>(
    _ places: some Sequence<StoreContents.Place>, _ change: (inout StoreContents) -> Void,
    _ body: (SedimentStore) throws -> Result
  ) {
    switch outcome({ try body(store) }) {
    case .success:
      touched.formUnion(places)
      change(&contents)
    case .failure(let error):
      // Nothing fails on this disk, so only what lies about itself may bring a store to that.
      expect(error.code != .outcomeUnknown || certainty != .all, "\(error)")
      if error.code == .outcomeUnknown { isPoisoned = true }
    }
  }

  /// Whether the store could be closed.
  package mutating func close() -> Bool {
    guard case .success = outcome({ try store.close() }) else { return false }
    return !isPoisoned
  }

  /// Reads all that the store holds.
  package func compare(_ moment: String) {
    if !isPoisoned { compare(StoreReading(store), moment) }
  }

  /// Ends the program unless a store holds what it should.
  package func compare(_ reading: StoreReading, _ moment: String) {
    let expected = contents.visible(at: time)
    switch certainty {
    case .all:
      expect(reading.isWhole, "\(moment): \(reading.errors)")
      expect(
        reading.contents == expected,
        "\(moment): \(reading.contents.summary) instead of \(expected.summary)")
    case .touched:
      for place in touched where reading.isWhole {
        expect(reading.contents[place] == expected[place], "\(moment): \(place) is another one")
      }
    case .none: break
    }
  }
}
