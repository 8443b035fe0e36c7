import Sediment

/// What a store should hold: a dictionary for each collection, and the clock that expiry goes by.
struct StoreModel {
  struct Entry: Equatable {
    var value: [UInt8]
    /// In milliseconds since 1970, 0 for ever.
    var expiry: UInt64
  }

  /// Everything that was set and not removed, expired or not: a clock that goes back shows it again.
  private var spaces: [String: [[UInt8]: Entry]] = ["": [:]]
  var clock: UInt64

  init(clock: UInt64) {
    self.clock = clock
  }

  /// The names of the collections; the store's own keys are those of the empty name.
  var names: [String] { spaces.keys.filter { !$0.isEmpty }.sorted() }

  func entry(_ key: [UInt8], in name: String) -> Entry? {
    guard let entry = spaces[name]?[key], entry.expiry == 0 || entry.expiry > clock else { return nil }
    return entry
  }

  func visible(in name: String) -> [[UInt8]: Entry] {
    (spaces[name] ?? [:]).filter { $0.value.expiry == 0 || $0.value.expiry > clock }
  }

  mutating func set(_ value: [UInt8], _ key: [UInt8], in name: String, expiry: UInt64) {
    spaces[name, default: [:]][key] = Entry(value: value, expiry: expiry)
  }

  /// Whether the key had a value.
  mutating func remove(_ key: [UInt8], in name: String) -> Bool {
    let wasVisible = entry(key, in: name) != nil
    spaces[name]?[key] = nil
    return wasVisible
  }

  mutating func create(_ name: String) {
    if spaces[name] == nil { spaces[name] = [:] }
  }

  mutating func clear(_ name: String) {
    spaces[name] = [:]
  }

  mutating func clearEverything() {
    for name in spaces.keys { spaces[name] = [:] }
  }

  /// Whether there was one.
  mutating func drop(_ name: String) -> Bool {
    spaces.removeValue(forKey: name) != nil
  }
}
