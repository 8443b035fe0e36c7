package import Sediment

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// What a store holds, whatever the clock says: collections by name, the store's own keys under the empty one.
package struct CrashContents: Equatable, Sendable {
  package struct Entry: Equatable, Sendable {
    package var value: [UInt8]
    /// In milliseconds since 1970, 0 for never.
    package var expiry: UInt64 = 0
    /// Whether the store may have deleted it, because its time was over for so long.
    package private(set) var mayBeGone = false

    init(value: [UInt8], expiry: UInt64 = 0) {
      self.value = value
      self.expiry = expiry
    }

    /// The entry once the clocks show so much.
    func aged(_ confirmed: ConfirmedTime, _ wallClock: UInt64) -> Entry {
      var entry = self
      entry.mayBeGone = mayBeGone || confirmed.allowsDeletion(ofExpiry: expiry, at: wallClock)
      return entry
    }

    /// The entry once its store was erased at a time.
    func erased(at wallClock: UInt64) -> Entry {
      var entry = self
      entry.mayBeGone = mayBeGone || expiry != 0 && expiry <= wallClock
      return entry
    }

    package static func == (one: Entry, other: Entry) -> Bool {
      one.expiry == other.expiry && isSame(one.value, other.value)
    }
  }

  package var collections: [String: [String: Entry]] = ["": [:]]
  private var confirmed = ConfirmedTime()

  package init() {}

  /// Reads everything in a store, by iteration, and each key again by itself.
  package init(of store: SedimentStore) throws {
    collections = [:]
    for name in [""] + store.collectionNames {
      let keys = try name.isEmpty ? store.defaultCollection : store.collection(name)
      collections[name] = try Self.entries(of: keys)
    }
  }

  private static func entries(of keys: some SedimentKeyspace) throws -> [String: Entry] {
    var entries: [String: Entry] = [:]
    try keys.forEach { key, value in
      let name = String(sedimentBytes: key) ?? "?"
      if entries.updateValue(Entry(value: [UInt8](sedimentBytes: value)), forKey: name) != nil {
        throw CrashContradiction(description: "'\(name)' came twice")
      }
      return .continue
    }
    for key in Set(entries.keys).union(CrashOperation.keys) {
      switch try keys.expiry(forKey: key) {
      case .at(let time): entries[key]?.expiry = time
      case .never: break
      default:
        if entries[key] != nil { throw CrashContradiction(description: "'\(key)' came, and is not there") }
      }
      if try !isSame(keys.retrieve(forKey: key), entries[key]?.value) {
        throw CrashContradiction(description: "'\(key)' reads otherwise than it came")
      }
    }
    if try keys.count() != entries.count {
      throw CrashContradiction(
        description: "\(entries.count) keys came, and they are said to be \(try keys.count())")
    }
    return entries
  }

  /// Whether they hold the same, whatever their clocks have shown.
  package static func == (one: CrashContents, other: CrashContents) -> Bool {
    one.collections == other.collections
  }

  /// Takes note of what the wall clock shows.
  mutating func noteClock(_ wallClock: UInt64) { confirmed.note(wallClock) }

  /// Takes note of what the wall clock shows once so much time has gone by, and of what that lets a store delete.
  mutating func note(_ wallClock: UInt64, after duration: Duration = .zero) {
    confirmed.note(wallClock, after: duration)
    for (name, entries) in collections {
      collections[name] = entries.mapValues { $0.aged(confirmed, wallClock) }
    }
  }

  /// Takes note that a store was erased at a time of the wall clock, by which alone that goes.
  mutating func noteErased(at wallClock: UInt64) {
    for (name, entries) in collections { collections[name] = entries.mapValues { $0.erased(at: wallClock) } }
  }

  /// Whether everything here is there as well, in the same collections.
  package func isPart(of other: CrashContents) -> Bool {
    guard Set(collections.keys) == Set(other.collections.keys) else { return false }
    return collections.allSatisfy { name, entries in
      entries.allSatisfy { other.collections[name]?[$0.key] == $0.value }
    }
  }

  /// Whether everything is here that is expected, and nothing else.
  package func isAll(of expected: CrashContents) -> Bool {
    guard isPart(of: expected) else { return false }
    return expected.collections.allSatisfy { name, entries in
      entries.allSatisfy { $0.value.mayBeGone || collections[name]?[$0.key] != nil }
    }
  }

  /// What is to be seen at a time.
  package func visible(at time: UInt64) -> CrashContents {
    var contents = self
    contents.collections = collections.mapValues {
      $0.filter { $0.value.expiry == 0 || $0.value.expiry > time }
    }
    return contents
  }

  /// The number that begins each value, and nothing of its bytes.
  package var summary: String {
    collections.sorted { $0.key < $1.key }.map { name, entries in
      let list = entries.sorted { $0.key < $1.key }.map { key, entry in
        let number = String(decoding: entry.value.prefix { $0 != 32 }, as: UTF8.self)
        return "\(key)=\(number)\(entry.expiry == 0 ? "" : "!")"
      }
      return "\(name)[\(list.joined(separator: " "))]"
    }.joined(separator: " ")
  }
}

/// A store said two things of one key.
package struct CrashContradiction: Error, CustomStringConvertible {
  package var description: String

  package init(description: String) {
    self.description = description
  }
}

/// Whether arrays are equal, found out in one go; arrays take long over that in a build without optimization.
private func isSame(_ one: [UInt8]?, _ other: [UInt8]?) -> Bool {
  guard let one, let other else { return one == nil && other == nil }
  guard one.count == other.count else { return false }
  return unsafe memcmp(one, other, one.count) == 0
}
