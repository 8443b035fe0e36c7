/// Keys and values of one keyspace as one thread knows them.
struct Contents: Sendable {
  private(set) var entries: [Key: Entry] = [:]
  /// Its keys in any order, so that one can be drawn.
  private var keys: [Key] = []
  /// What all of it takes of a file at most.
  private(set) var weight = 0
  /// What values take at most that have expired and were removed then, which may remain until they are cleared.
  private(set) var residue = 0
  private(set) var residueCount = 0

  struct Entry: Hashable, Sendable {
    var value: Value
    var life: Life
    fileprivate var place = 0

    init(_ value: Value, _ life: Life) {
      self.value = value
      self.life = life
    }
  }

  var count: Int { entries.count }
  /// Those whose records take a slot or more, and whose values have no slots of their own.
  var longRecordCount: Int {
    entries.count {
      $0.value.value.byteCount <= Weight.recordValueMax && Weight.of($0.key, $0.value.value) >= Weight.slot
    }
  }
  var hasLongKeys: Bool { entries.keys.contains { $0.byteCount > Weight.longKeyMin } }
  var isEmpty: Bool { entries.isEmpty }

  subscript(key: Key) -> Entry? { entries[key] }

  func anyKey(_ dice: inout Dice) -> Key? { keys.isEmpty ? nil : keys[dice.number(below: keys.count)] }

  mutating func set(_ key: Key, _ value: Value, _ life: Life) {
    var entry = Entry(value, life)
    weight += Weight.of(key, value)
    if let old = entries[key] {
      weight -= Weight.of(key, old.value)
      entry.place = old.place
    } else {
      entry.place = keys.count
      keys.append(key)
    }
    entries[key] = entry
  }

  /// Removes a key; `mayRemain` says that its record may stay, since it had expired.
  mutating func remove(_ key: Key, mayRemain: Bool = false) {
    guard let old = entries.removeValue(forKey: key) else { return }
    let last = keys.removeLast()
    if last != key {
      keys[old.place] = last
      entries[last]?.place = old.place
    }
    let oldWeight = Weight.of(key, old.value)
    weight -= oldWeight
    if mayRemain {
      residue += oldWeight
      residueCount += 1
    }
  }
}

/// What a thread knows of a store: all that is of its own making.
struct Model: Sendable {
  /// Each keyspace by its name; the store's own is the one without.
  private(set) var spaces: [String: Contents] = ["": Contents()]

  var weight: Int { spaces.values.reduce(0) { $0 + $1.weight + $1.residue } }
  var count: Int { spaces.values.reduce(0) { $0 + $1.count } }
  var residueCount: Int { spaces.values.reduce(0) { $0 + $1.residueCount } }
  var longRecordCount: Int { spaces.values.reduce(0) { $0 + $1.longRecordCount } }
  var hasLongKeys: Bool { spaces.values.contains { $0.hasLongKeys } }
  var collectionNames: [String] { spaces.keys.filter { !$0.isEmpty } }

  func contents(_ space: String) -> Contents { spaces[space] ?? Contents() }

  /// What a change makes of it that began and ended at these times.
  mutating func apply(_ change: Change, from begin: UInt64, to end: UInt64) {
    switch change {
    case .set(let space, let key, let value, let term):
      let life = term.life(from: begin, to: end, old: spaces[space]?[key]?.life)
      spaces[space, default: Contents()].set(key, value, life)
    case .remove(let space, let key):
      let isGone = spaces[space]?[key].map { $0.life.state(from: begin, to: end) != .present } ?? false
      spaces[space]?.remove(key, mayRemain: isGone)
    case .live(let space, let key, let term):
      guard let old = spaces[space]?[key] else { return }
      spaces[space]?.set(key, old.value, term.life(from: begin, to: end, old: old.life))
    case .clear(let space): spaces[space] = Contents()
    case .create(let space): spaces[space] = spaces[space] ?? Contents()
    case .drop(let space): spaces[space] = nil
    case .clearEverything: for space in spaces.keys { spaces[space] = Contents() }
    }
  }

  mutating func apply(_ changes: [Change], from begin: UInt64, to end: UInt64) {
    for change in changes { apply(change, from: begin, to: end) }
  }

  /// Leaves out a key that an evicting store has left out.
  mutating func forget(_ space: String, _ key: Key) { spaces[space]?.remove(key) }

  /// Takes what was found of a key for what it is.
  mutating func settle(_ space: String, _ key: Key, _ entry: Contents.Entry?) {
    if let entry {
      spaces[space, default: Contents()].set(key, entry.value, entry.life)
    } else {
      spaces[space]?.remove(key)
    }
  }
}

/// One thing that a call changes.
enum Change: Hashable, Sendable {
  case set(String, Key, Value, Term)
  case remove(String, Key)
  case live(String, Key, Term)
  case clear(String)
  case create(String)
  case drop(String)
  case clearEverything
}

/// How much of a file things take at most.
enum Weight {
  static let slot = 16 << 10
  /// A longer value has a place of its own, of whole slots.
  fileprivate static let recordValueMax = 128 << 10
  /// A longer key has a record of its own.
  fileprivate static let longKeyMin = 13 << 10

  static func of(_ key: Key, _ value: Value) -> Int {
    of(keyByteCount: Int(key.byteCount), valueByteCount: value.byteCount)
  }

  static func of(keyByteCount: Int, valueByteCount: Int) -> Int {
    // The record of a long key has whole slots of its own.
    if keyByteCount > longKeyMin, valueByteCount <= recordValueMax {
      return (keyByteCount + valueByteCount + 256 + slot - 1) / slot * slot
    }
    if valueByteCount <= recordValueMax { return (keyByteCount + valueByteCount + 26 + 7) / 8 * 8 }
    let slotCount = (valueByteCount + 128 + slot - 1) / slot
    return keyByteCount + 96 + slotCount * slot
  }

  /// What a change adds at most.
  static func of(_ change: Change) -> Int {
    switch change {
    case .set(_, let key, let value, _): of(key, value)
    case .remove(_, let key): of(keyByteCount: Int(key.byteCount), valueByteCount: 0)
    default: 400
    }
  }

  static func of(_ changes: [Change]) -> Int { changes.reduce(0) { $0 + of($1) } }
}
