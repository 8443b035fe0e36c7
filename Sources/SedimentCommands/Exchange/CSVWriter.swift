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
    var bytes: [UInt8] = []
    let name = entry.collection ?? ""
    // The name has no encoding of its own.
    append(Array((isForTerminal ? ByteText.escaped(name) : name).utf8), to: &bytes)
    bytes.append(UInt8(ascii: ","))
    if let key = entry.key {
      appendEncoded(key, to: &bytes)
      bytes.append(UInt8(ascii: ","))
      appendEncoded(entry.value, to: &bytes)
    } else {
      bytes += Array(",none,,".utf8)
    }
    bytes.append(UInt8(ascii: ","))
    if let expires = entry.expires { bytes += Array("\(expires)".utf8) }
    bytes.append(10)
    return bytes
  }

  private func appendEncoded(_ value: [UInt8], to bytes: inout [UInt8]) {
    // A zero byte is where other readers stop.
    if ExchangeBytes.isText(value, refusing: { $0 == 0 }),
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
