internal import Sediment

/// The command `sediment stats FILE`.
enum StatsCommand: StoreCommand {
  static let access = StoreAccess.reading

  static let declaration = CommandDeclaration(
    "stats", "prints figures of a store",
    discussion: """
      Live bytes are the records of present values; dead ones are those that compaction will leave out; free space is \
      allocated and not in use. Write amplification is how often records were written on the average since the file was \
      made: 1 where compaction moved none.
      """,
    operands: [.store], options: [.json],
    examples: [
      ("sediment stats cities.sediment", "the figures, for people"),
      ("sediment stats cities.sediment --json", "the same in exact numbers"),
    ])

  static func run(_ arguments: ParsedArguments, on store: SedimentStore, _ console: Console) throws
    -> ExitCode
  {
    let figures = try store.survey().statistics
    try console.write(arguments, json: json(figures), text: text(figures))
    return .fine
  }

  private static func text(_ figures: SedimentStatistics) -> String {
    var table = Table(rightAligned: [false, true, false])
    let fileByteCount = figures.fileByteCount
    func add(_ name: String, bytes: UInt64, note: String = "") {
      table.add([name, SizeText.bytes(bytes), note])
    }
    func part(_ bytes: UInt64) -> String { SizeText.percent(bytes, of: fileByteCount) + " of the file" }
    table.add(["keys", "\(figures.liveKeyCount)", ""])
    table.add(["collections", "\(figures.collectionCount)", ""])
    table.add(["changes so far", "\(figures.sequence)", ""])
    add("file", bytes: fileByteCount, note: SizeText.count(figures.segmentCount, "segment"))
    add("live records", bytes: figures.liveByteCount, note: part(figures.liveByteCount))
    add("dead records", bytes: figures.deadByteCount, note: part(figures.deadByteCount))
    add("free", bytes: figures.freeByteCount, note: part(figures.freeByteCount))
    add("stored index", bytes: figures.storedIndexByteCount)
    add("index in memory", bytes: UInt64(figures.indexByteCount))
    let dictionaries = SizeText.count(figures.dictionaryCount, "dictionary", "dictionaries")
    let lost = figures.lostDictionaryCount
    add(
      "dictionaries", bytes: figures.dictionaryByteCount,
      note: lost == 0 ? dictionaries : "\(dictionaries), \(lost) lost")
    add("set by users", bytes: figures.userByteCount, note: "keys and values since the file was made")
    add("written", bytes: figures.writtenByteCount, note: "records since then")
    add("moved", bytes: figures.movedByteCount, note: "by compaction since then")
    table.add(["write amplification", SizeText.decimal(figures.lifetimeWriteAmplification, places: 2), ""])
    table.add(["expired keys", "\(figures.expiredKeyCount)", "deleted since then"])
    table.add(["evicted keys", "\(figures.evictedKeyCount)", "left out since then"])
    return table.text
  }

  private static func json(_ figures: SedimentStatistics) -> JSONValue {
    .object([
      ("keys", .count(figures.liveKeyCount)),
      ("collections", .count(figures.collectionCount)),
      ("sequence", .integer(figures.sequence)),
      ("fileBytes", .integer(figures.fileByteCount)),
      ("segments", .count(figures.segmentCount)),
      ("liveBytes", .integer(figures.liveByteCount)),
      ("deadBytes", .integer(figures.deadByteCount)),
      ("freeBytes", .integer(figures.freeByteCount)),
      ("storedIndexBytes", .integer(figures.storedIndexByteCount)),
      ("indexBytes", .count(figures.indexByteCount)),
      ("dictionaries", .count(figures.dictionaryCount)),
      ("dictionaryBytes", .integer(figures.dictionaryByteCount)),
      ("lostDictionaries", .count(figures.lostDictionaryCount)),
      ("userBytes", .integer(figures.userByteCount)),
      ("writtenBytes", .integer(figures.writtenByteCount)),
      ("movedBytes", .integer(figures.movedByteCount)),
      ("writeAmplification", .number(figures.lifetimeWriteAmplification)),
      ("expiredKeys", .integer(figures.expiredKeyCount)),
      ("evictedKeys", .integer(figures.evictedKeyCount)),
    ])
  }
}
