import Foundation

/// What a file holds: the keys of each collection, the store's own under the empty name.
struct Contents: Equatable {
  struct Entry: Equatable {
    var value: [UInt8]
    /// In milliseconds since 1970, 0 for never.
    var expiry: UInt64
  }

  private(set) var collections: [String: [[UInt8]: Entry]] = ["": [:]]

  subscript(name: String, key: [UInt8]) -> Entry? {
    get { collections[name]?[key] }
    set { collections[name, default: [:]][key] = newValue }
  }

  mutating func add(_ name: String) { collections[name, default: [:]] = collections[name] ?? [:] }

  mutating func drop(_ name: String) { collections[name] = nil }

  mutating func clear(_ name: String) { collections[name] = [:] }

  /// The text that the tests read: the wall clock, then each collection with its entries, all bytes as Base64.
  func text(clock: UInt64) -> String {
    var lines = ["clock \(clock)"]
    for (name, entries) in collections.sorted(by: { $0.key < $1.key }) {
      lines.append("collection \(base64(Array(name.utf8)))")
      for (key, entry) in entries.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
        lines.append("entry \(base64(key)) \(entry.expiry) \(base64(entry.value))")
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Base64; a dash for no bytes, so that a line always has all its words.
  private func base64(_ bytes: [UInt8]) -> String {
    bytes.isEmpty ? "-" : Data(bytes).base64EncodedString()
  }
}
