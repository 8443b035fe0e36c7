internal import Sediment

/// Takes entries from a source into a store, and remembers there how far it came.
struct FileImport {
  private let name: String
  private let source: ByteSource
  private var reader: any ExchangeReader
  private let store: SedimentStore
  private let collection: String?
  private let bar: ProgressBar
  private var keyspaces: [String: SedimentCollection] = [:]
  private var progress = ImportProgress()
  private var markedAt: UInt64 = 0

  /// After so many bytes of the source it is remembered how far it came.
  private static let markByteCount: UInt64 = 1 << 20

  init(
    _ name: String, _ source: ByteSource, _ reader: any ExchangeReader, into store: SedimentStore,
    collection: String?, bar: ProgressBar
  ) {
    (self.name, self.source, self.reader) = (name, source, reader)
    (self.store, self.collection, self.bar) = (store, collection, bar)
  }

  /// What the progress is remembered under: the same source into another collection is another import.
  var progressName: String { collection.map { "\(name) into \($0)" } ?? name }

  /// Goes on where an import before was interrupted; throws if the source is not the same up to there.
  mutating func resume(_ progress: ImportProgress) throws {
    guard try source.skip(to: progress.position), source.checksum == progress.checksum else {
      throw ToolFailure.usage(
        "\(name): it is not what was being imported, of which \(progress.position) bytes were taken; "
          + "import that, or begin anew with --restart")
    }
    self.progress = progress
    reader.takenLineCount = Int(clamping: progress.lineCount)
    markedAt = progress.position
  }

  /// Imports everything; the result is how many entries there were, those of an import before among them.
  mutating func run() throws -> UInt64 {
    do {
      while let entry = try reader.next() {
        try set(entry)
        progress.entryCount += 1
        progress.position = source.position
        progress.checksum = source.checksum
        progress.lineCount = UInt64(reader.takenLineCount)
        if source.position - markedAt >= Self.markByteCount { try mark() }
        bar.show(
          completed: source.position, of: source.descriptor.byteCount,
          note: SizeText.count(progress.entryCount, "entry", "entries"))
        try Signals.check()
      }
    } catch {
      // What was taken is in the store; without this it would only be taken again.
      try? mark()
      guard let failure = Signals.failure else { throw error }
      let count = SizeText.count(progress.entryCount, "entry", "entries")
      throw ToolFailure(
        failure.code, "\(name): interrupted behind \(count); the same command goes on from there")
    }
    try ImportProgress.forget(progressName, in: store)
    try store.sync()
    return progress.entryCount
  }

  private mutating func mark() throws {
    guard progress.entryCount > 0 else { return }
    try progress.write(for: progressName, in: store)
    markedAt = progress.position
  }

  private mutating func set(_ entry: ExchangeEntry) throws {
    let keys = try keyspace(entry.collection ?? collection)
    guard let key = entry.key else { return }
    let expiry = entry.expires.map { SedimentExpiry.at(milliseconds: $0) } ?? .never
    do {
      try keys.set(entry.value, forKey: key, expiry: expiry)
    } catch let error as SedimentError where error.code == .tooLarge {
      throw ToolFailure.usage("\(name), line \(reader.lineNumber): \(error.message)")
    }
  }

  private mutating func keyspace(_ name: String?) throws -> SedimentKeyspace {
    guard let name else { return store }
    if let known = keyspaces[name] { return known }
    let collection = try store.collection(name)
    keyspaces[name] = collection
    return collection
  }
}
