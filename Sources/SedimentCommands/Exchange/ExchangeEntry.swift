internal import Sediment

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

  /// A reader of rows whose values have at most so many bytes.
  func reader(_ source: ByteSource, valueByteCountMax: Int = 1 << 30) throws -> any ExchangeReader {
    let limit = Self.lineByteCountMax(of: valueByteCountMax)
    switch self {
    case .jsonl: return JSONLinesReader(source, lineByteCountMax: limit)
    case .csv: return try CSVReader(source, rowByteCountMax: limit)
    }
  }

  /// The longest line with a value of at most so many bytes, which escapes make three times as long at the worst, a key,
  /// a collection's name, and what stands around them.
  private static func lineByteCountMax(of valueByteCountMax: Int) -> Int {
    valueByteCountMax * 3 + (1 << 20)
  }
}

/// Makes entries to bytes.
protocol ExchangeWriter {
  /// What comes before the first entry.
  var head: [UInt8] { get }

  func row(_ entry: ExchangeEntry) -> [UInt8]

  /// Writes the row of an entry whose value is long, in parts; that of the entry is left empty.
  func writeRow(
    _ entry: ExchangeEntry, _ value: ValueStream, to write: ([UInt8]) throws -> Void
  ) throws

  /// A row with an empty value, made of the first bytes of a row with a long one; nil if they are no such row.
  func shortened(_ beginning: [UInt8]) -> [UInt8]?
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
    guard let escapeCount = escapeCount(bytes, refusing: refused) else { return false }
    return escapeCount <= escapeCountMax(of: UInt64(bytes.count))
      && String(validating: bytes, as: UTF8.self) != nil
  }

  /// `isText` for a value that is read in parts.
  static func isText(_ value: ValueStream, refusing refused: (UInt8) -> Bool = { _ in false }) throws -> Bool
  {
    var escapes: UInt64 = 0
    return try value.isText { part in
      guard let count = escapeCount(part, refusing: refused) else { return false }
      escapes += count
      return escapes <= escapeCountMax(of: value.byteCount)
    }
  }

  /// The bytes that escapes add to a text; nil if it has a byte that is refused.
  private static func escapeCount(_ bytes: [UInt8], refusing refused: (UInt8) -> Bool) -> UInt64? {
    var count: UInt64 = 0
    for byte in bytes {
      if refused(byte) { return nil }
      if byte < 32 || byte == 127 { count += 5 }
    }
    return count
  }

  private static func escapeCountMax(of byteCount: UInt64) -> UInt64 { byteCount / 3 + 64 }
}
