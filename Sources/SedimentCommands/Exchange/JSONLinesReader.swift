/// Reads what `JSONLinesWriter` writes, and what others write so; empty lines are passed over.
struct JSONLinesReader: ExchangeReader {
  private let source: ByteSource
  private let lineByteCountMax: Int
  var takenLineCount = 0
  var lineNumber: Int { takenLineCount }

  init(_ source: ByteSource, lineByteCountMax: Int) {
    (self.source, self.lineByteCountMax) = (source, lineByteCountMax)
  }

  mutating func next() throws -> ExchangeEntry? {
    while let line = try source.line(limit: lineByteCountMax) {
      takenLineCount += 1
      if line.allSatisfy({ $0 == 10 || $0 == 13 || $0 == 32 || $0 == 9 }) { continue }
      do throws(JSONObjectParser.Failure) {
        return try Self.entry(of: line)
      } catch {
        throw ToolFailure.usage("\(source.name), line \(lineNumber): \(error.message)")
      }
    }
    return nil
  }

  private static func entry(of line: [UInt8]) throws(JSONObjectParser.Failure) -> ExchangeEntry {
    var entry = ExchangeEntry()
    var value: [UInt8]?
    // Refused one by one: a line of members that are not known would take many times its bytes.
    try JSONObjectParser.forEachMember(of: line) { (name, member) throws(JSONObjectParser.Failure) in
      switch (name, member) {
      case ("collection", .text(let bytes)) where entry.collection == nil:
        entry.collection = String(decoding: bytes, as: UTF8.self)
      case ("collection", .null): break
      case ("key", .text(let bytes)) where entry.key == nil: entry.key = bytes
      case ("keyBase64", .text(let text)) where entry.key == nil: entry.key = try decoded(text, name)
      case ("value", .text(let bytes)) where value == nil: value = bytes
      case ("valueBase64", .text(let text)) where value == nil: value = try decoded(text, name)
      case ("expires", .integer(let milliseconds)) where milliseconds > 0 && entry.expires == nil:
        entry.expires = milliseconds
      case ("expires", .null): break
      case ("key", .text), ("keyBase64", .text), ("value", .text), ("valueBase64", .text),
        ("collection", .text),
        ("expires", .integer(1...)):
        throw .init("'\(name)' is said a second time")
      case ("expires", _): throw .init("'expires' must be milliseconds since 1970, or null")
      case ("collection", _), ("key", _), ("keyBase64", _), ("value", _), ("valueBase64", _):
        throw .init("'\(name)' must be a string; JSON as a value is written as a string")
      default:
        throw .init(
          "'\(ByteText.excerpt(Array(name.utf8)))' is not known; there are collection, key or keyBase64, value or valueBase64, expires"
        )
      }
    }
    if entry.key == nil, value != nil { throw .init("the key is missing") }
    if entry.key != nil, value == nil { throw .init("the value is missing") }
    if entry.key == nil, entry.collection == nil { throw .init("the key and the value are missing") }
    entry.value = value ?? []
    return entry
  }

  private static func decoded(_ text: [UInt8], _ name: String) throws(JSONObjectParser.Failure) -> [UInt8] {
    guard let bytes = Base64.decode(text) else { throw .init("'\(name)' is not Base64") }
    return bytes
  }
}
