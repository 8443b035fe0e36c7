internal import Sediment

/// A row of comma-separated values for each entry, with a row of names before.
///
/// `key_encoding` and `value_encoding` say `text` or `base64`; `none` for the key of a row that says only that there is a
/// collection.
struct CSVWriter: ExchangeWriter {
  static let columns = ["collection", "key", "key_encoding", "value", "value_encoding", "expires"]

  /// Whether people read the rows on a terminal.
  let isForTerminal: Bool
  let head = Array((CSVWriter.columns.joined(separator: ",") + "\n").utf8)

  init(isForTerminal: Bool = false) { self.isForTerminal = isForTerminal }

  func row(_ entry: ExchangeEntry) -> [UInt8] {
    var bytes = begin(entry)
    if entry.key != nil {
      appendEncoded(entry.value, to: &bytes)
    } else {
      bytes += Array(",none,,".utf8)
    }
    return bytes + end(entry)
  }

  func writeRow(
    _ entry: ExchangeEntry, _ value: ValueStream, to write: ([UInt8]) throws -> Void
  ) throws {
    var isText = try ExchangeBytes.isText(value, refusing: Self.isRefused)
    if isText, isForTerminal {
      isText = try value.isText { ByteText.printable($0, allowingLines: true) != nil }
    }
    let mark = UInt8(ascii: "\"")
    try write(begin(entry) + (isText ? [mark] : []))
    try value.forEachPart(of: isText ? .character : .bytes(3)) { part in
      try write(isText ? part.flatMap { $0 == mark ? [mark, mark] : [$0] } : Base64.encode(part))
    }
    try write(Array((isText ? "\",text" : ",base64").utf8) + end(entry))
  }

  func shortened(_ beginning: [UInt8]) -> [UInt8]? {
    var (isQuoted, commaCount) = (false, 0)
    for (place, byte) in beginning.enumerated() {
      if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
      if byte == UInt8(ascii: ","), !isQuoted { commaCount += 1 }
      // The value comes after the collection, the key and its encoding.
      if commaCount == 3 { return beginning[...place] + Array(",text,\n".utf8) }
    }
    return nil
  }

  /// What of a row comes before the value.
  private func begin(_ entry: ExchangeEntry) -> [UInt8] {
    var bytes: [UInt8] = []
    let name = entry.collection ?? ""
    // The name has no encoding of its own.
    append(Array((isForTerminal ? ByteText.escaped(name) : name).utf8), to: &bytes)
    bytes.append(UInt8(ascii: ","))
    guard let key = entry.key else { return bytes }
    appendEncoded(key, to: &bytes)
    bytes.append(UInt8(ascii: ","))
    return bytes
  }

  /// What of a row comes after the encoding of the value.
  private func end(_ entry: ExchangeEntry) -> [UInt8] {
    Array(",\(entry.expires.map { "\($0)" } ?? "")\n".utf8)
  }

  /// Whether a text may not have a byte: a zero byte is where other readers stop.
  private static func isRefused(_ byte: UInt8) -> Bool { byte == 0 }

  private func appendEncoded(_ value: [UInt8], to bytes: inout [UInt8]) {
    if ExchangeBytes.isText(value, refusing: Self.isRefused),
      !isForTerminal || ByteText.printable(value, allowingLines: true) != nil
    {
      append(value, to: &bytes)
      bytes += Array(",text".utf8)
    } else {
      bytes += Base64.encode(value)
      bytes += Array(",base64".utf8)
    }
  }

  private func append(_ text: [UInt8], to bytes: inout [UInt8]) {
    let needsQuotes = text.contains { [UInt8(ascii: ","), UInt8(ascii: "\""), 10, 13].contains($0) }
    let isPadded = text.first == 32 || text.last == 32
    guard needsQuotes || isPadded else {
      bytes += text
      return
    }
    bytes.append(UInt8(ascii: "\""))
    for byte in text {
      if byte == UInt8(ascii: "\"") { bytes.append(byte) }
      bytes.append(byte)
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
