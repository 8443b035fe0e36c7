import Sediment

/// How a store is opened, as a plan says it.
struct Settings: Equatable, Sendable {
  var capacity = SedimentCapacity.unlimited
  var compaction = SedimentCompaction.automatic
  var compression = SedimentCompression.automatic
  var durability = SedimentDurability.interval(.seconds(1))
  var access = SedimentOptions.Access.automatic
  var verifiesReads = true
  var storesIndex = true

  var options: SedimentOptions {
    SedimentOptions(
      durability: durability, access: access, verifiesReads: verifiesReads, capacity: capacity,
      compaction: compaction, compression: compression, storesIndex: storesIndex)
  }

  /// The bytes that the file may have from when it has come down to them; nil for any number.
  var cap: Int? {
    switch capacity {
    case .unlimited: nil
    case .limited(let byteCount), .evicting(let byteCount): Int(byteCount)
    }
  }

  var evicts: Bool {
    if case .evicting = capacity { true } else { false }
  }

  // MARK: As text

  var words: [String] {
    var words = ["capacity=\(capacityWord)", "compaction=\(compaction)"]
    switch compression {
    case .off: words.append("compression=off")
    case .zstd(let level): words.append("compression=\(level)")
    case .automatic: words.append("compression=automatic")
    }
    switch durability {
    case .unsynced: words.append("durability=unsynced")
    case .synced: words.append("durability=synced")
    case .interval(let duration):
      let (seconds, attoseconds) = duration.components
      words.append("durability=\(seconds * 1000 + attoseconds / 1_000_000_000_000_000)")
    }
    words.append("access=\(access)")
    if !verifiesReads { words.append("verifiesReads=no") }
    if !storesIndex { words.append("storesIndex=no") }
    return words
  }

  private var capacityWord: String {
    switch capacity {
    case .unlimited: "unlimited"
    case .limited(let byteCount): "limited:\(byteCount)"
    case .evicting(let byteCount): "evicting:\(byteCount)"
    }
  }

  /// Takes over what a word says; false if it is none of these.
  mutating func take(_ name: String, _ value: String) -> Bool {
    switch (name, value) {
    case ("capacity", _):
      let parts = value.split(separator: ":")
      if parts == ["unlimited"] {
        capacity = .unlimited
        return true
      }
      guard parts.count == 2, let count = byteCount(parts[1]) else { return false }
      capacity =
        parts[0] == "evicting" ? .evicting(maxBytes: UInt64(count)) : .limited(maxBytes: UInt64(count))
      return parts[0] == "evicting" || parts[0] == "limited"
    case ("compaction", "off"): compaction = .off
    case ("compaction", "manual"): compaction = .manual
    case ("compaction", "automatic"): compaction = .automatic
    case ("compression", "off"): compression = .off
    case ("compression", "automatic"): compression = .automatic
    case ("compression", _):
      guard let level = Int(value) else { return false }
      compression = .zstd(level: level)
    case ("durability", "unsynced"): durability = .unsynced
    case ("durability", "synced"): durability = .synced
    case ("durability", _):
      guard let milliseconds = Int(value) else { return false }
      durability = .interval(.milliseconds(milliseconds))
    case ("access", "automatic"): access = .automatic
    case ("access", "unmapped"): access = .unmapped
    case ("verifiesReads", _): verifiesReads = value == "yes"
    case ("storesIndex", _): storesIndex = value == "yes"
    default: return false
    }
    return true
  }

  // MARK: By chance

  init() {}

  /// Any, but for the capacity.
  init(_ capacity: SedimentCapacity, _ dice: inout Dice) {
    self.capacity = capacity
    vary(&dice)
    compaction = dice.one(weighted: [(8, .automatic), (1, .manual)])
    if capacity == .unlimited, dice.isWithin(10) { compaction = .off }
  }

  /// Draws anew what may change from opening to opening.
  mutating func vary(_ dice: inout Dice) {
    compression = dice.one(weighted: [(4, .off), (4, .automatic), (1, .zstd(level: 1)), (1, .zstd(level: 5))])
    durability = dice.one(weighted: [
      (4, .unsynced), (4, .interval(.seconds(1))), (1, .interval(.milliseconds(20))), (1, .synced),
    ])
    access = dice.one(weighted: [(5, .automatic), (1, .unmapped)])
    verifiesReads = dice.isWithin(85)
    storesIndex = dice.isWithin(70)
  }
}
