internal import Sediment

/// A line of JSON for each entry: `{"collection":"users","key":"1","value":"Ada","expires":1896091200000}`.
///
/// Bytes that are no UTF-8 are Base64 under `keyBase64` and `valueBase64`. Members that say nothing are left out.
struct JSONLinesWriter: ExchangeWriter {
  let head: [UInt8] = []

  func row(_ entry: ExchangeEntry) -> [UInt8] {
    var members = Self.members(before: entry)
    if entry.key != nil {
      members.append(JSONValue.bytes("value", entry.value, isText: ExchangeBytes.isText(entry.value)))
    }
    return JSONValue.object(members + Self.members(after: entry)).line
  }

  func writeRow(
    _ entry: ExchangeEntry, _ value: ValueStream, to write: ([UInt8]) throws -> Void
  ) throws {
    try JSONValue.writeLine(
      Self.members(before: entry), value, isText: try ExchangeBytes.isText(value), Self.members(after: entry),
      to: write)
  }

  func shortened(_ beginning: [UInt8]) -> [UInt8]? {
    // Quotation marks within a text are escaped, so these bytes begin the value.
    for name in ["value", "valueBase64"] {
      if let found = beginning.firstRange(of: Array(",\"\(name)\":\"".utf8)) {
        return beginning[..<found.upperBound] + Array("\"}\n".utf8)
      }
    }
    return nil
  }

  private static func members(before entry: ExchangeEntry) -> [(String, JSONValue)] {
    var members: [(String, JSONValue)] = []
    if let collection = entry.collection { members.append(("collection", .text(collection))) }
    if let key = entry.key { members.append(JSONValue.bytes("key", key, isText: ExchangeBytes.isText(key))) }
    return members
  }

  private static func members(after entry: ExchangeEntry) -> [(String, JSONValue)] {
    entry.expires.map { [("expires", .integer($0))] } ?? []
  }
}

extension JSONValue {
  /// Writes an object as a line, with a long value between other members, of which one at least comes before.
  static func writeLine(
    _ before: [(String, JSONValue)], _ value: ValueStream, isText: Bool, _ after: [(String, JSONValue)],
    to write: ([UInt8]) throws -> Void
  ) throws {
    // Without the brace and the line feed.
    try write(object(before).line.dropLast(2) + Array(",\"value\(isText ? "" : "Base64")\":\"".utf8))
    try value.forEachPart(of: isText ? .character : .bytes(3)) { part in
      try write(isText ? escaped(part) : Base64.encode(part))
    }
    try write([UInt8(ascii: "\""), UInt8(ascii: after.isEmpty ? "}" : ",")])
    // Without the brace that begins it.
    try write(after.isEmpty ? [10] : Array(object(after).line.dropFirst()))
  }
}
