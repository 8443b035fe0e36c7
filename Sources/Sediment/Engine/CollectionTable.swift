internal import SedimentFormat

/// The collections of a store, by number and name.
final class CollectionTable: @unchecked Sendable {
  // Sendable: the lock guards the variables.
  private let lock = Lock()
  private var states: [UInt32: CollectionState]
  private var numbers: [[UInt8]: UInt32] = [:]
  let defaultState: CollectionState

  /// The collections of a catalogue, with the keys that the index has for each.
  init(_ catalogue: Catalogue, counts: (UInt32) -> CollectionState.Counts) {
    var states: [UInt32: CollectionState] = [:]
    for (number, entry) in catalogue.collections {
      let clearedAt = catalogue.deadUpTo(collection: number) ?? .zero
      states[number] = CollectionState(
        number: number, name: entry.name, clearedAt: clearedAt.rawValue, counts(number))
      if number != 0 { numbers[entry.name] = number }
    }
    if states[0] == nil {
      states[0] = CollectionState(
        number: 0, name: [], clearedAt: catalogue.numbers.everythingClearedAt.rawValue, counts(0))
    }
    self.states = states
    defaultState = states[0]!
  }

  func named(_ name: [UInt8]) -> CollectionState? {
    lock.withLock { numbers[name].flatMap { states[$0] } }
  }

  func numbered(_ number: UInt32) -> CollectionState? {
    lock.withLock { states[number] }
  }

  func add(_ state: CollectionState) {
    lock.withLock {
      states[state.number] = state
      numbers[state.name] = state.number
    }
  }

  func remove(_ state: CollectionState) {
    lock.withLock {
      states[state.number] = nil
      numbers[state.name] = nil
    }
  }

  /// How many keys all of them have together.
  var keyCount: Int { all.reduce(0) { $0 + $1.keyCount } }

  /// The slots of the extents that the values of all of them have together.
  var extentSlotCount: Int { all.reduce(0) { $0 &+ $1.extentSlotCount } }

  var all: [CollectionState] {
    lock.withLock { Array(states.values) }
  }

  /// The names in ascending order of their bytes.
  var names: [[UInt8]] {
    lock.withLock { numbers.keys.sorted { $0.lexicographicallyPrecedes($1) } }
  }
}
