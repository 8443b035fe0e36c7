import Sediment
import SedimentSupport
import SedimentTesting

/// A store that has much of what the calls of `CostTests` are not about, and a collection of ten keys that they are about.
struct CostlyStore {
  /// What a store has much of.
  enum Burden: CaseIterable {
    case nothing, defaultKeys, namedKeys, collections, expiredKeys, segments, clearedKeys
  }

  static let burdenCount = 3_000
  static let ownCount = 10

  let disk = CountingDisk(SimulatedDisk(seed: 1))
  let scheduler = ManualScheduler()
  let store: SedimentStore
  /// The collection of ten keys, one of which expires some day.
  let own: SedimentCollection

  init(_ burden: Burden) throws {
    // Unmapped, so every record that is looked at is a call; without compaction, which is about everything.
    let options = SedimentOptions(durability: .unsynced, access: .unmapped, compaction: .manual)
    store = try SedimentStore(path: "data/store", options: options, disk: disk, scheduler: scheduler)
    try Self.burden(store, burden, disk.inner)
    own = try store.collection("own")
    for number in 0..<Self.ownCount {
      let expiry = number == 0 ? SedimentExpiry.at(milliseconds: 1 << 45) : .never
      try own.set(pattern(60, number), forKey: "\(number)", expiry: expiry)
    }
    // The first counting after an opening may look at all keys of the collection.
    _ = try own.count()
    rest()
  }

  /// Runs what follows from the calls so far.
  func rest() {
    while scheduler.runDue() > 0 {}
  }

  private static func burden(_ store: SedimentStore, _ burden: Burden, _ disk: SimulatedDisk) throws {
    func fill(_ keys: some SedimentKeyspace, expiry: SedimentExpiry = .never) throws {
      for number in 0..<burdenCount { try keys.set(pattern(60, number), forKey: "\(number)", expiry: expiry) }
    }
    switch burden {
    case .nothing: break
    case .defaultKeys: try fill(store)
    case .namedKeys: try fill(store.collection("other"))
    case .collections:
      for number in 0..<burdenCount / 4 { try store.collection("\(number)").set("value", forKey: "key") }
    case .expiredKeys:
      try fill(store, expiry: .after(.seconds(1)))
      disk.advanceClocks(by: .seconds(2))
    case .segments:
      for _ in 0..<5 { try fill(store) }
    case .clearedKeys:
      try fill(store.collection("other"))
      try store.collection("other").removeAll()
    }
  }

  /// The collections that entries of the index do not tell from `own`.
  static func alikeCount(_ burden: Burden) -> Int {
    burden == .collections ? burdenCount / 4 / 32 + 1 : 0
  }
}
