import Sediment
import SedimentTesting

/// A change of a store, or what else is done with one, with its meaning for a model.
enum CrashOperation {
  case set(Place, byteCount: Int, lifetime: Duration? = nil, SedimentDurability)
  case remove(Place, SedimentDurability)
  /// Members without a size are removals.
  case batch([(place: Place, byteCount: Int?)], SedimentDurability)
  /// Doubles a value, as far as it is not too long.
  case update(Place, SedimentDurability)
  case setIfAbsent(Place, byteCount: Int, SedimentDurability)
  /// A lifetime of nil is for ever.
  case setExpiry(Place, lifetime: Duration?, SedimentDurability)
  case clear(String, SedimentDurability)
  case create(String)
  case drop(String, SedimentDurability)
  case removeEverything(SedimentDurability)
  case sync
  /// Lets the time go by in which the background syncs what was set within the shorter interval.
  case wait
  /// Lets the background do what is due at once.
  case background
  case checkpoint
  case reopen

  /// A key of a collection; the store itself is the collection with the empty name.
  struct Place: Hashable {
    var key: String
    var collection = ""

    init(_ key: String, in collection: String = "") {
      self.key = key
      self.collection = collection
    }
  }

  static let keys = (0..<8).map { "key-\($0)" }
  static let collections = ["", "a", "b"]
  static let interval = Duration.milliseconds(20)
  static let longInterval = Duration.milliseconds(500)

  /// The value that the change of that number gives a key.
  static func value(_ number: Int, _ place: Place, _ byteCount: Int) -> [UInt8] {
    let head = Array("\(number) \(place.collection)/\(place.key) ".utf8)
    var generator = SeededGenerator(seed: UInt64(number))
    var bytes = head
    let piece = (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
    while bytes.count < byteCount { bytes += piece }
    bytes.removeLast(bytes.count - max(byteCount, head.count))
    return bytes
  }

  /// The value that an update makes of another.
  static func updated(_ number: Int, _ place: Place, _ old: [UInt8]?) -> [UInt8] {
    value(number, place, min((old?.count ?? 20) * 2, 2000))
  }

  var durability: SedimentDurability? {
    switch self {
    case .set(_, _, _, let durability), .remove(_, let durability), .batch(_, let durability),
      .update(_, let durability), .setIfAbsent(_, _, let durability), .setExpiry(_, _, let durability),
      .clear(_, let durability), .drop(_, let durability), .removeEverything(let durability):
      durability
    case .create, .sync, .wait, .background, .checkpoint, .reopen: nil
    }
  }

  /// Whether everything up to here is on the disk once it returned.
  var isSynced: Bool {
    switch self {
    case .sync, .checkpoint, .reopen: true
    default: durability == .synced
    }
  }

  /// The collections that must be there before it.
  var collectionsNeeded: [String] {
    switch self {
    case .set(let place, _, _, _), .remove(let place, _), .update(let place, _),
      .setIfAbsent(let place, _, _), .setExpiry(let place, _, _):
      [place.collection]
    case .clear(let name, _): [name]
    case .batch(let members, _): members.map(\.place.collection)
    default: []
    }
  }
}

extension CrashContents {
  /// Does to the model what an operation of that number does to a store at that time.
  mutating func apply(_ operation: CrashOperation, number: Int, time: UInt64) {
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
    case .sync, .wait, .background, .checkpoint, .reopen: break
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
