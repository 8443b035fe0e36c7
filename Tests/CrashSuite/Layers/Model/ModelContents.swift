import CrashModel

/// What a store should hold: a dictionary for each collection, and the clock that expiry goes by.
struct ModelContents {
  struct Entry {
    var value: [UInt8]
    /// In milliseconds since 1970, 0 for ever.
    var expiry: UInt64
    /// Whether the store may have lost it by its own doing: it had expired for good, or the store was full.
    fileprivate(set) var mayBeGone = false

    fileprivate init(value: [UInt8], expiry: UInt64) {
      self.value = value
      self.expiry = expiry
    }
  }

  /// Everything that was set and not removed, expired or not: a clock that goes back shows it again.
  private var spaces: [String: [[UInt8]: Entry]] = ["": [:]]
  /// In milliseconds since 1970.
  private(set) var clock: UInt64
  private var confirmed = ConfirmedTime()

  init(clock: UInt64) {
    self.clock = clock
    confirmed.note(clock)
  }

  /// The clock shows a time once so much time has gone by.
  mutating func setClock(to time: UInt64, after duration: Duration = .zero) {
    clock = time
    confirmed.note(time, after: duration)
    for name in spaces.keys {
      let expired = spaces[name, default: [:]].filter {
        !$0.value.mayBeGone && confirmed.allowsDeletion(ofExpiry: $0.value.expiry, at: time)
      }
      for key in expired.keys { spaces[name]?[key]?.mayBeGone = true }
    }
  }

  /// The store may leave out any of what is there.
  mutating func letEverythingGo() {
    for name in spaces.keys {
      for key in spaces[name, default: [:]].keys { spaces[name]?[key]?.mayBeGone = true }
    }
  }

  // MARK: Reading

  /// The names of the collections; the store's own keys are those of the empty name.
  var names: [String] { spaces.keys.filter { !$0.isEmpty }.sorted() }

  func entry(_ key: [UInt8], in name: String) -> Entry? {
    guard let entry = spaces[name]?[key], isVisible(entry) else { return nil }
    return entry
  }

  func visible(in name: String) -> [[UInt8]: Entry] {
    (spaces[name] ?? [:]).filter { isVisible($0.value) }
  }

  func visibleCount(in name: String) -> Int {
    spaces[name]?.values.count(where: isVisible) ?? 0
  }

  /// How many of the visible ones the store must have.
  func certainCount(in name: String) -> Int {
    spaces[name]?.values.count { isVisible($0) && !$0.mayBeGone } ?? 0
  }

  /// Everything that is kept, also of what has expired.
  var entryCount: Int { spaces.values.reduce(0) { $0 + $1.count } }

  /// The bytes of all keys and values that are kept.
  var byteCount: Int {
    spaces.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.key.count + $1.value.value.count } }
  }

  private func isVisible(_ entry: Entry) -> Bool { entry.expiry == 0 || entry.expiry > clock }

  // MARK: Changing

  mutating func set(_ value: [UInt8], _ key: [UInt8], in name: String, expiry: UInt64) {
    var entry = Entry(value: value, expiry: expiry)
    entry.mayBeGone = confirmed.allowsDeletion(ofExpiry: expiry, at: clock)
    spaces[name, default: [:]][key] = entry
  }

  mutating func remove(_ key: [UInt8], in name: String) {
    spaces[name]?[key] = nil
  }

  /// Takes note of whether the store had a key: what it may have lost, and has lost, must not come back.
  mutating func note(_ key: [UInt8], in name: String, isThere: Bool) {
    if !isThere, let entry = entry(key, in: name), entry.mayBeGone { remove(key, in: name) }
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

  mutating func drop(_ name: String) {
    spaces[name] = nil
  }

  func has(_ name: String) -> Bool { spaces[name] != nil }
}
