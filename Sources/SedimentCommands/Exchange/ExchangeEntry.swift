/// What one line of an exported file says: a key with its value, or only that there is a collection.
struct ExchangeEntry: Equatable {
  /// The collection's name; nil for keys outside of any.
  var collection: String?
  /// Nil where it says only that the collection is there.
  var key: [UInt8]?
  var value: [UInt8] = []
  /// In milliseconds since 1970; nil for never.
  var expires: UInt64?
}

/// The formats that stores are exported to and imported from.
enum ExchangeFormat: String, CaseIterable {
  case jsonl
  case csv

  /// The format that a name of a file tells; nil if it tells none.
  init?(ofFile name: String) {
    switch name.split(separator: ".").last?.lowercased() {
    case "jsonl", "ndjson", "json": self = .jsonl
    case "csv": self = .csv
    default: return nil
    }
  }

  var writer: any ExchangeWriter { writer(forTerminal: false) }

  /// The writer of rows; for a terminal, values in which it would obey something are Base64 like those that are no text.
  func writer(forTerminal isForTerminal: Bool) -> any ExchangeWriter {
    switch self {
    case .jsonl: JSONLinesWriter()
    case .csv: CSVWriter(isForTerminal: isForTerminal)
    }
  }

  func reader(_ source: ByteSource) throws -> any ExchangeReader {
    switch self {
    case .jsonl: JSONLinesReader(source)
    case .csv: try CSVReader(source)
    }
  }

  /// The longest line: a key and a value as Base64, a collection's name, and what stands around them.
  static let lineByteCountMax = (1 << 30) / 3 * 4 + (1 << 20)
}

/// Makes entries to bytes.
protocol ExchangeWriter {
  /// What comes before the first entry.
  var head: [UInt8] { get }

  func row(_ entry: ExchangeEntry) -> [UInt8]
}

/// Makes bytes to entries, one by one.
protocol ExchangeReader {
  /// The number of the line at which the entry began that was read last.
  var lineNumber: Int { get }
  /// How many lines were taken so far.
  var takenLineCount: Int { get set }

  /// The next entry; nil at the end. What cannot be understood is thrown as wrong usage, with its place.
  mutating func next() throws -> ExchangeEntry?
}

/// How bytes stand in a text format.
enum ExchangeBytes {
  /// Whether bytes are written as text: they are UTF-8, and that does not take much more than Base64 would.
  static func isText(_ bytes: [UInt8], refusing refused: (UInt8) -> Bool = { _ in false }) -> Bool {
    var escapeCount = 0
    for byte in bytes {
      if refused(byte) { return false }
      if byte < 32 || byte == 127 { escapeCount += 5 }
    }
    return escapeCount <= bytes.count / 3 + 64 && String(validating: bytes, as: UTF8.self) != nil
  }
}
