internal import SedimentFormat

/// The newest record of each key, as records of salvaged segments are entered in any order.
///
/// Keys are told apart by two hashes under seeds that nobody knows; of the keys themselves it holds nothing.
struct SalvageTable {
  /// A key of a collection.
  struct Name: Hashable {
    let first: UInt64
    let second: UInt64
    let collection: UInt32
  }

  /// Where the newest record of a key is.
  struct Place {
    let offset: UInt64
    let byteCount: Int32
    /// The number of its segment.
    let segment: Int32
    let sequence: SequenceNumber
    let isRemoval: Bool
  }

  private(set) var places: [Name: Place] = [:]
  private let firstHash: KeyHash
  private let secondHash: KeyHash

  init(firstHash: KeyHash, secondHash: KeyHash) {
    self.firstHash = firstHash
    self.secondHash = secondHash
  }

  func name(_ key: RawSpan, _ collection: UInt32) -> Name {
    Name(
      first: firstHash.hash(key, collection: collection),
      second: secondHash.hash(key, collection: collection), collection: collection)
  }

  /// Enters a record; the higher sequence wins, and of equal ones a removal.
  mutating func enter(_ name: Name, _ place: Place) {
    if let old = places[name] {
      if old.sequence > place.sequence || old.sequence == place.sequence && !place.isRemoval { return }
    }
    places[name] = place
  }
}
