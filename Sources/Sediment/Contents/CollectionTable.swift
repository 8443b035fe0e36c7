internal import SedimentFormat

/// The collections of a store, by number and name.
final class CollectionTable: Sendable {
  private struct Tables {
    var states: [UInt32: CollectionState] = [:]
    var numbers: [[UInt8]: UInt32] = [:]
    /// What the last count of a collection whose keys expire has found.
    var expired: [UInt32: ExpiredKeys] = [:]
  }

  private let tables: Locked<Tables>
  let defaultState: CollectionState

  /// The collections of a catalogue, with the keys that the index has for each.
  init(_ catalogue: Catalogue, keys: (UInt32) -> IndexBuildResult.Keys) {
    var tables = Tables()
    for entry in catalogue.collections {
      let number = entry.number
      let clearedAt = catalogue.deadUpTo(collection: number) ?? .zero
      tables.states[number] = CollectionState(
        number: number, name: entry.name, clearedAt: clearedAt.rawValue, keys(number))
      if number != 0 { tables.numbers[entry.name] = number }
    }
    defaultState =
      tables.states[0]
      ?? CollectionState(
        number: 0, name: [], clearedAt: catalogue.numbers.everythingClearedAt.rawValue, keys(0))
    tables.states[0] = defaultState
    self.tables = Locked(.leaf, tables)
  }

  func named(_ name: [UInt8]) -> CollectionState? {
    tables.withLock { tables in tables.numbers[name].flatMap { tables.states[$0] } }
  }

  func numbered(_ number: UInt32) -> CollectionState? {
    tables.withLock { tables in tables.states[number] }
  }

  func add(_ state: CollectionState) {
    tables.withLock { tables in
      tables.states[state.number] = state
      tables.numbers[state.name] = state.number
    }
  }

  func remove(_ state: CollectionState) {
    tables.withLock { tables in
      tables.states[state.number] = nil
      tables.numbers[state.name] = nil
      tables.expired[state.number] = nil
    }
  }

  /// The keys of a collection that had expired when it was counted last; nil if it was not.
  func expiredKeys(of state: CollectionState) -> ExpiredKeys? {
    tables.withLock { tables in tables.expired[state.number] }
  }

  /// Notes what counting a collection has found, if it is still there.
  func note(_ expired: ExpiredKeys, of state: CollectionState) {
    tables.withLock { tables in
      if tables.states[state.number] != nil { tables.expired[state.number] = expired }
    }
  }

  /// How many keys all of them have together.
  var keyCount: Int { all.reduce(0) { $0 + $1.keyCount } }

  /// The slots of the extents that the values of all of them have together.
  var extentSlotCount: Int { all.reduce(0) { $0 &+ $1.extentSlotCount } }

  var all: [CollectionState] {
    tables.withLock { tables in Array(tables.states.values) }
  }

  /// The names in ascending order of their bytes.
  var names: [[UInt8]] {
    // Sorted without the lock: whoever looks up a collection would wait for that.
    let names = tables.withLock { tables in Array(tables.numbers.keys) }
    return names.sorted { $0.lexicographicallyPrecedes($1) }
  }
}
