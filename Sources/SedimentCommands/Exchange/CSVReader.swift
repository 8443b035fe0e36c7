/// Reads what `CSVWriter` writes, and other tables with columns `key` and `value`, whose order is free.
struct CSVReader: ExchangeReader {
  private let source: ByteSource
  private let rowByteCountMax: Int
  private(set) var lineNumber = 0
  var takenLineCount = 0
  /// Where in a row each known column stands.
  private var places: [String: Int] = [:]
  /// How many values a row may have; no row of names has more than there are columns.
  private var columnCount = CSVWriter.columns.count
  /// The bytes of the values of a row so far.
  private var rowByteCount = 0

  /// Reads the row of names.
  init(_ source: ByteSource, rowByteCountMax: Int) throws {
    (self.source, self.rowByteCountMax) = (source, rowByteCountMax)
    guard var names = try row() else { throw failure("there is no row of names") }
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    if names[0].starts(with: mark) { names[0].removeFirst(mark.count) }
    columnCount = names.count
    for (place, bytes) in names.enumerated() {
      let name = String(decoding: bytes, as: UTF8.self)
      guard CSVWriter.columns.contains(name) else {
        throw failure(
          "there is no column '\(ByteText.excerpt(bytes))'; there are \(CSVWriter.columns.joined(separator: ", "))"
        )
      }
      guard places.updateValue(place, forKey: name) == nil else {
        throw failure("there are two columns '\(name)'")
      }
    }
    for name in ["key", "value"] where places[name] == nil {
      throw failure("the column '\(name)' is missing")
    }
  }

  mutating func next() throws -> ExchangeEntry? {
    while let row = try row() {
      // An empty line is no row.
      if row.count == 1, row[0].isEmpty, columnCount > 1 { continue }
      return try entry(row)
    }
    return nil
  }

  private func failure(_ message: String) -> ToolFailure {
    .usage("\(source.name), line \(max(lineNumber, 1)): \(message)")
  }

  private func entry(_ row: [[UInt8]]) throws -> ExchangeEntry {
    guard row.count == columnCount else {
      throw failure("the row has \(row.count) values, and there are \(columnCount) columns")
    }
    func bytes(_ name: String) -> [UInt8] { places[name].map { row[$0] } ?? [] }
    func text(_ name: String) throws -> String {
      guard let text = String(validating: bytes(name), as: UTF8.self) else {
        throw failure("'\(name)' is not UTF-8")
      }
      return text
    }
    var entry = ExchangeEntry()
    let collection = try text("collection")
    if !collection.isEmpty { entry.collection = collection }
    if try text("key_encoding") == "none" {
      guard entry.collection != nil else { throw failure("neither a key nor a collection is named") }
      return entry
    }
    entry.key = try decoded(bytes("key"), try text("key_encoding"), "key")
    entry.value = try decoded(bytes("value"), try text("value_encoding"), "value")
    let expires = try text("expires")
    if !expires.isEmpty {
      guard let milliseconds = UInt64(expires), milliseconds > 0 else {
        throw failure("'expires' must be milliseconds since 1970, or empty")
      }
      entry.expires = milliseconds
    }
    return entry
  }

  private func decoded(_ bytes: [UInt8], _ encoding: String, _ name: String) throws -> [UInt8] {
    switch encoding {
    case "", "text": return bytes
    case "base64":
      guard let decoded = Base64.decode(bytes) else { throw failure("'\(name)' is not Base64") }
      return decoded
    default:
      throw failure(
        "'\(name)_encoding' must be text or base64, not '\(ByteText.excerpt(Array(encoding.utf8)))'")
    }
  }

  // MARK: Rows

  /// The values of the next row; nil at the end.
  private mutating func row() throws -> [[UInt8]]? {
    lineNumber = takenLineCount + 1
    guard try source.peek() != nil else { return nil }
    var values: [[UInt8]] = []
    rowByteCount = 0
    while true {
      // Asked before they are read: a row of commas would take many times its bytes.
      guard values.count < columnCount else {
        throw failure("the row has more values than there are columns, of which there can be \(columnCount)")
      }
      let value = try source.peek() == UInt8(ascii: "\"") ? try quoted() : try plain()
      values.append(value)
      switch try source.next() {
      case UInt8(ascii: ","): continue
      case 13:
        if try source.peek() == 10 { _ = try source.next() }
        takenLineCount += 1
        return values
      case 10:
        takenLineCount += 1
        return values
      case nil: return values
      default: throw failure("something follows a quoted value; a quotation mark inside of one is doubled")
      }
    }
  }

  private mutating func plain() throws -> [UInt8] {
    var value: [UInt8] = []
    while let byte = try source.peek(), byte != UInt8(ascii: ","), byte != 10, byte != 13 {
      if byte == UInt8(ascii: "\"") { throw failure("a value with a quotation mark in it must be quoted") }
      _ = try source.next()
      try append(byte, to: &value)
    }
    return value
  }

  private mutating func quoted() throws -> [UInt8] {
    _ = try source.next()
    var value: [UInt8] = []
    while let byte = try source.next() {
      if byte == UInt8(ascii: "\"") {
        guard try source.peek() == byte else { return value }
        _ = try source.next()
      }
      if byte == 10 { takenLineCount += 1 }
      try append(byte, to: &value)
    }
    throw failure("a quoted value has no end")
  }

  private mutating func append(_ byte: UInt8, to value: inout [UInt8]) throws {
    guard rowByteCount < rowByteCountMax else {
      throw failure("a row is longer than \(SizeText.bytes(UInt64(rowByteCountMax)))")
    }
    rowByteCount += 1
    value.append(byte)
  }
}
