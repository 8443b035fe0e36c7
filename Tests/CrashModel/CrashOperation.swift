package import Sediment
internal import SedimentTesting

/// A change of a store, or what else is done with one.
package enum CrashOperation {
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
  case checkpoint
  /// Wins back all space that is dead.
  case compact
  /// Overwrites what is dead as well, what has expired by the wall clock among it.
  case erase
  case storeIndex
  /// Lets the time go by in which the background syncs what was set within the shorter interval.
  case wait
  /// Lets so much time go by, also on the clock that shows when values expire.
  case pass(Duration)
  /// Lets the clock that shows when values expire jump, forwards or backwards, while no time goes by.
  case jump(Duration)
  /// Lets the background do what is due at once.
  case background
  case reopen

  /// A key of a collection; the store itself is the collection with the empty name.
  package struct Place: Hashable, Sendable, CustomStringConvertible {
    package var key: String
    package var collection = ""

    package init(_ key: String, in collection: String = "") {
      self.key = key
      self.collection = collection
    }

    package var description: String { "\(collection)/\(key)" }
  }

  package static let keys = (0..<8).map { "key-\($0)" }
  package static let interval = Duration.milliseconds(20)
  package static let longInterval = Duration.milliseconds(500)

  /// The value that the change of that number gives a key.
  package static func value(_ number: Int, _ place: Place, _ byteCount: Int) -> [UInt8] {
    let head = Array("\(number) \(place) ".utf8)
    var generator = SeededGenerator(seed: UInt64(number))
    var bytes = head
    let piece = (0..<64).map { _ in UInt8.random(in: 0...255, using: &generator) }
    while bytes.count < byteCount { bytes += piece }
    bytes.removeLast(bytes.count - max(byteCount, head.count))
    return bytes
  }

  /// The value that an update makes of another.
  package static func updated(_ number: Int, _ place: Place, _ old: [UInt8]?) -> [UInt8] {
    value(number, place, min((old?.count ?? 20) * 2, 2000))
  }

  package var durability: SedimentDurability? {
    switch self {
    case .set(_, _, _, let durability), .remove(_, let durability), .batch(_, let durability),
      .update(_, let durability), .setIfAbsent(_, _, let durability), .setExpiry(_, _, let durability),
      .clear(_, let durability), .drop(_, let durability), .removeEverything(let durability):
      durability
    case .create, .sync, .checkpoint, .compact, .erase, .storeIndex, .wait, .pass, .jump, .background,
      .reopen:
      nil
    }
  }

  /// Whether everything up to here is on the disk once it returned.
  package var isSynced: Bool {
    switch self {
    case .sync, .checkpoint, .erase, .reopen: true
    default: durability == .synced
    }
  }

  /// The collections that must be there before it.
  package var collectionsNeeded: [String] {
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
