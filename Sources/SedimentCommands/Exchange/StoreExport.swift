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
      try source.keys.withExpiringValues(forKeys: group) { number, value, expiry in
        // What expires meanwhile is not there any more.
        guard let value else { return }
        try add(
          ExchangeEntry(
            collection: source.name, key: group[number], value: [UInt8](sedimentBytes: value),
            expires: expiry.milliseconds))
      }
    }
    // A collection without keys is there all the same.
    if let name = source.name, last == nil, entryCount == before { try add(ExchangeEntry(collection: name)) }
  }

  private mutating func add(_ entry: ExchangeEntry) throws {
    try Signals.check()
    entryCount += 1
    try write(writer.row(entry))
    bar.show(completed: output.byteCount, of: nil, note: SizeText.count(entryCount, "entry", "entries"))
  }

  private func write(_ row: [UInt8]) throws {
    if let file { try file.write(row) } else { try output.write(row) }
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
