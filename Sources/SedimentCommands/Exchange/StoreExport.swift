internal import Sediment

/// Writes keys and values as rows, in an order in which it can go on later.
struct StoreExport {
  /// Keys outside of any collection have no name, and come first.
  typealias Source = (name: String?, keys: SedimentCollection)

  private let writer: any ExchangeWriter
  /// Nil if it goes to standard output.
  private let file: ExportFile?
  private let output: OutputWriter
  private let prefix: [UInt8]
  private let memory: Int
  private let bar: ProgressBar
  private var entryCount: Int

  init(
    _ writer: any ExchangeWriter, to file: ExportFile?, or output: OutputWriter, prefix: [UInt8], memory: Int,
    bar: ProgressBar
  ) {
    (self.writer, self.file, self.output) = (writer, file, file?.writer ?? output)
    (self.prefix, self.memory, self.bar) = (prefix, memory, bar)
    entryCount = file?.finished?.entryCount ?? 0
  }

  /// Exports sources, but for what the file has of them.
  mutating func run(_ sources: [Source]) throws {
    let last = file?.finished?.last
    if last == nil { try write(writer.head) }
    for source in Self.ordered(sources) {
      if let last, Self.precedes(source.name, last.collection) { continue }
      if let last, source.name == last.collection {
        // Without a key it says that the collection has none.
        if let key = last.key { try add(source, behind: key) }
      } else {
        try add(source, behind: nil)
      }
    }
    bar.clear()
  }

  private mutating func add(_ source: Source, behind last: [UInt8]?) throws {
    let before = entryCount
    var keys = OrderedKeys(of: source.keys, prefix: prefix, behind: last, byteCountMax: memory)
    while case let group = try keys.next(), !group.isEmpty {
      for key in group {
        // A key that was removed or has expired since is left out.
        guard let value = try source.keys.stream(forKey: key) else { continue }
        let entry = ExchangeEntry(collection: source.name, key: key, expires: value.expiry.milliseconds)
        try add(entry, value)
      }
    }
    // A collection without keys is there all the same.
    if let name = source.name, last == nil, entryCount == before { try add(ExchangeEntry(collection: name)) }
  }

  private mutating func add(_ entry: ExchangeEntry, _ value: ValueStream? = nil) throws {
    try Signals.check()
    entryCount += 1
    if let value, value.isLong {
      try writeRow { write in try writer.writeRow(entry, value, to: write) }
    } else {
      var entry = entry
      if let value { entry.value = try value.wholeValue() }
      try write(writer.row(entry))
    }
    bar.show(completed: output.byteCount, of: nil, note: SizeText.count(entryCount, "entry", "entries"))
  }

  private func write(_ row: [UInt8]) throws {
    try writeRow { write in try write(row) }
  }

  /// Writes a row that comes in parts.
  private func writeRow(_ body: (_ write: ([UInt8]) throws -> Void) throws -> Void) throws {
    if let file { try file.writeRow(body) } else { try body { try output.write($0) } }
  }

  private static func ordered(_ sources: [Source]) -> [Source] {
    sources.sorted { precedes($0.name, $1.name) }
  }

  private static func precedes(_ name: String?, _ other: String?) -> Bool {
    guard let other else { return false }
    guard let name else { return true }
    return name.utf8.lexicographicallyPrecedes(other.utf8)
  }
}
