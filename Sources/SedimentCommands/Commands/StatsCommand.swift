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
    var members: [(String, JSONValue)] = []
    var table = Table(rightAligned: [false, true, false])
    // A figure has a name in JSON, and one for people if they are shown it by itself.
    func addCount(_ name: String, _ count: some BinaryInteger, _ label: String? = nil, _ note: String = "") {
      members.append((name, .integer(UInt64(clamping: count))))
      if let label { table.add([label, "\(count)", note]) }
    }
    func addBytes(_ name: String, _ count: some BinaryInteger, _ label: String, _ note: String = "") {
      members.append((name, .integer(UInt64(clamping: count))))
      table.add([label, SizeText.bytes(UInt64(clamping: count)), note])
    }
    func part(_ bytes: UInt64) -> String {
      SizeText.percent(bytes, of: figures.fileByteCount) + " of the file"
    }
    addCount("keys", figures.liveKeyCount, "keys")
    addCount("collections", figures.collectionCount, "collections")
    addCount("sequence", figures.sequence, "changes so far")
    addBytes("fileBytes", figures.fileByteCount, "file", SizeText.count(figures.segmentCount, "segment"))
    addCount("segments", figures.segmentCount)
    addBytes("liveBytes", figures.liveByteCount, "live records", part(figures.liveByteCount))
    addBytes("deadBytes", figures.deadByteCount, "dead records", part(figures.deadByteCount))
    addBytes("freeBytes", figures.freeByteCount, "free", part(figures.freeByteCount))
    addBytes("storedIndexBytes", figures.storedIndexByteCount, "stored index")
    addBytes("indexBytes", figures.indexByteCount, "index in memory")
    addCount("dictionaries", figures.dictionaryCount)
    let dictionaries = SizeText.count(figures.dictionaryCount, "dictionary", "dictionaries")
    let lost = figures.lostDictionaryCount
    addBytes(
      "dictionaryBytes", figures.dictionaryByteCount, "dictionaries",
      lost == 0 ? dictionaries : "\(dictionaries), \(lost) lost")
    addCount("lostDictionaries", lost)
    addBytes("userBytes", figures.userByteCount, "set by users", "keys and values since the file was made")
    addBytes("writtenBytes", figures.writtenByteCount, "written", "records since then")
    addBytes("movedBytes", figures.movedByteCount, "moved", "by compaction since then")
    let amplification = figures.lifetimeWriteAmplification
    members.append(("writeAmplification", .number(amplification)))
    table.add(["write amplification", SizeText.decimal(amplification, places: 2), ""])
    addCount("expiredKeys", figures.expiredKeyCount, "expired keys", "deleted since then")
    addCount("evictedKeys", figures.evictedKeyCount, "evicted keys", "left out since then")
    try console.write(arguments, json: .object(members), text: table.text)
    return .fine
  }
}
