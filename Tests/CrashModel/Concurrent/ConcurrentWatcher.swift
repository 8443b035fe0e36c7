internal import Sediment
internal import SedimentTesting

/// A thread that looks at the store as a whole, or tidies it, while others change it.
struct ConcurrentWatcher {
  private let use: ConcurrentUse

  init(_ use: ConcurrentUse) {
    self.use = use
  }

  /// Iterates again and again: a key that comes had its value, and one that does not come was not there, at some moment
  /// of the iteration.
  ///
  /// Of groups it only sees that their values are whole: an iteration may meet a batch that is just being made, some
  /// of whose keys have their new values then.
  func iterate() throws {
    var log = use.history.log()
    defer { use.history.add(log) }
    repeat {
      for isOfCollection in [false, true] {
        try iterate(use.collection, use.store, isOfCollection, &log)
      }
    } while use.isBusy
  }

  private func iterate(
    _ collection: SedimentCollection, _ store: SedimentStore, _ isOfCollection: Bool,
    _ log: inout OperationLog<Int, Int>
  ) throws {
    let keys = isOfCollection ? collection : store.defaultCollection
    var seen: Set<String> = []
    let begin = log.now()
    try keys.forEach { key, value in
      let key = String(sedimentBytes: key) ?? ""
      guard let place = SharedRegisters.placesByKey[key] else { return .continue }
      seen.insert(key)
      let number = try SharedRegisters.number(of: [UInt8](sedimentBytes: value), key)
      if place.register < SharedRegisters.count {
        log.note(.retrieve(number), on: place.register, since: begin)
      }
      return .continue
    }
    let end = log.now()
    for place in SharedRegisters.places where place.isOfCollection == isOfCollection {
      if !seen.contains(place.key) { log.note(.retrieve(nil), on: place.register, from: begin, to: end) }
    }
  }

  /// Makes copies again and again, each of which is the store at one moment of its making.
  func copy(to path: String) throws {
    var log = use.history.log()
    defer { use.history.add(log) }
    repeat {
      let begin = log.now()
      try use.store.backup(to: path)
      let end = log.now()
      let copy = try SedimentStore(path: path, options: SedimentOptions(readOnly: true))
      let collection = try copy.collection("shared")
      for place in SharedRegisters.allPlaces {
        let keys = place.isOfCollection ? collection : copy.defaultCollection
        let number = try SharedRegisters.number(of: keys.retrieve(forKey: place.key), place.key)
        log.note(.retrieve(number), on: place.register, from: begin, to: end)
        try expectOneGroup(place, number, copy, collection)
      }
      try copy.close()
      try SedimentStore.destroy(path: path)
    } while use.isBusy
  }

  /// All members of a group have one value in a copy.
  private func expectOneGroup(
    _ place: SharedRegisters.Place, _ number: Int?, _ copy: SedimentStore, _ collection: SedimentCollection
  ) throws {
    guard place.register >= SharedRegisters.count else { return }
    let first = SharedRegisters.groups[place.register - SharedRegisters.count][0]
    let keys = first.isOfCollection ? collection : copy.defaultCollection
    if try SharedRegisters.number(of: keys.retrieve(forKey: first.key), first.key) != number {
      throw CrashContradiction(description: "a copy has a part of a batch at '\(place.key)'")
    }
  }

  /// Wins back space and makes durable what is there, again and again.
  func maintain() throws {
    var round = 0
    repeat {
      switch round % 4 {
      case 0: try use.store.sync()
      case 1: try use.store.checkpoint()
      case 2: try use.store.compact()
      default: try use.store.storeIndex()
      }
      round += 1
    } while use.isBusy
  }
}
