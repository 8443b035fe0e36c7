/// What an interrupted export has left that is certainly as it was written, and so need not be exported again.
struct FinishedRows {
  /// Up to the end of the last row.
  let byteCount: UInt64
  /// The row of names in CSV is none.
  let entryCount: Int
  /// What the last of them says.
  let last: ExchangeEntry

  /// Looks through a part from its beginning; nil if there is nothing to go on from.
  init?(of part: Descriptor, _ format: ExchangeFormat, named name: String) throws {
    var scan = RowScan(quotesLineFeeds: format == .csv)
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    while true {
      let count = try part.read(into: &buffer)
      if count == 0 { break }
      for byte in buffer[..<count] { scan.take(byte) }
    }
    guard let row = scan.lastSynced else { return nil }
    let head = format.writer.head
    var bytes: [UInt8]? = try part.read(row.begin..<min(row.end, row.begin + Self.beginningByteCountMax))
    // Its value is not needed.
    if row.end - row.begin > Self.beginningByteCountMax {
      bytes = bytes.flatMap { format.writer.shortened($0) }
    }
    var reader = try format.reader(ByteSource(head + (bytes ?? [])))
    guard let entry = try? reader.next() else {
      throw ToolFailure.usage("\(name): it is not what an export has left; remove it")
    }
    (byteCount, entryCount, last) = (row.end, row.number + (head.isEmpty ? 1 : 0), entry)
  }

  /// What is read of a row at the most, which has more than a key and the name of a collection take.
  private static let beginningByteCountMax: UInt64 = 2 << 20
}

/// The rows of a text, found byte by byte without understanding them.
private struct RowScan {
  /// A row, with its number from zero.
  struct Row {
    var begin: UInt64
    var end: UInt64
    var number: Int
  }

  /// Whether line feeds between quotation marks belong to a row.
  let quotesLineFeeds: Bool
  private var isQuoted = false
  private var position: UInt64 = 0
  private var begin: UInt64 = 0
  private var number = 0
  /// The last row behind which the part was to be synced.
  private var crossing: Row?
  /// The last row behind which it was synced, since something follows.
  private(set) var lastSynced: Row?

  init(quotesLineFeeds: Bool) { self.quotesLineFeeds = quotesLineFeeds }

  mutating func take(_ byte: UInt8) {
    if let crossing {
      lastSynced = crossing
      self.crossing = nil
    }
    position += 1
    if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
    guard byte == 10, !(quotesLineFeeds && isQuoted) else { return }
    if ExportFile.markCount(upTo: begin) != ExportFile.markCount(upTo: position) {
      crossing = Row(begin: begin, end: position, number: number)
    }
    begin = position
    number += 1
  }
}
