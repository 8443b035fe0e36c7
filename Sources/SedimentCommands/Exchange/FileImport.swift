internal import Sediment

/// Takes entries from a source into a store, and remembers there how far it came.
struct FileImport {
  private let name: String
  private let source: ByteSource
  private var reader: any ExchangeReader
  /// What to set next; nil at the end of the source.
  private var entry: ExchangeEntry?
  private let store: SedimentStore
  private let collection: String?
  private let valueByteCountMax: Int
  private let bar: ProgressBar
  private var keyspaces: [String: SedimentCollection] = [:]
  private var progress = ImportProgress()
  private var markedAt: UInt64 = 0

  /// After so many bytes of the source it is remembered how far it came.
  private static let markByteCount: UInt64 = 1 << 20

  /// `first` is what the reader gave first, or nil if that was the end.
  init(
    _ name: String, _ source: ByteSource, _ reader: any ExchangeReader, _ first: ExchangeEntry?,
    into store: SedimentStore, collection: String?, valueByteCountMax: Int, bar: ProgressBar
  ) {
    (self.name, self.source, self.reader, entry) = (name, source, reader, first)
    (self.store, self.collection, self.bar) = (store, collection, bar)
    self.valueByteCountMax = valueByteCountMax
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
    entry = try reader.next()
  }

  /// Imports everything; the result is how many entries there were, those of an import before among them.
  mutating func run() throws -> UInt64 {
    do {
      while let entry {
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
        self.entry = try reader.next()
      }
    } catch {
      // What was taken is in the store; without this it would only be taken again.
      let isMarked = (try? mark()) != nil
      throw stopped(by: error, isMarked: isMarked)
    }
    try ImportProgress.forget(progressName, in: store)
    try store.sync()
    return progress.entryCount
  }

  /// The failure to tell: what the source did wrong, it says itself; otherwise how far this came.
  private func stopped(by error: any Error, isMarked: Bool) -> any Error {
    let count = SizeText.count(progress.entryCount, "entry", "entries")
    if let failure = Signals.failure {
      return ToolFailure(
        failure.code, "\(name): interrupted behind \(count); the same command goes on from there")
    }
    guard let error = error as? SedimentError, progress.entryCount > 0, isMarked else { return error }
    return ToolFailure(
      ExitCode(error), "\(error)\n\(name): stopped behind \(count); the same command goes on from there")
  }

  private mutating func mark() throws {
    guard progress.entryCount > 0 else { return }
    try progress.write(for: progressName, in: store)
    markedAt = progress.position
  }

  private mutating func set(_ entry: ExchangeEntry) throws {
    guard entry.value.count <= valueByteCountMax else {
      throw ToolFailure.usage(
        "\(name), line \(reader.lineNumber): the value of a key of \(entry.key?.count ?? 0) bytes has"
          + " \(entry.value.count) bytes, more than the \(valueByteCountMax) of --max-value")
    }
    let expiry = entry.expires.map { SedimentExpiry.at(milliseconds: $0) } ?? .never
    do {
      let keys = try keyspace(entry.collection ?? collection)
      if let key = entry.key { try keys.set(entry.value, forKey: key, expiry: expiry) }
    } catch let error as SedimentError where [.tooLarge, .invalidArgument].contains(error.code) {
      throw ToolFailure.usage("\(name), line \(reader.lineNumber): \(error.message)")
    }
  }

  private mutating func keyspace(_ name: String?) throws -> SedimentCollection {
    guard let name else { return store.defaultCollection }
    if let known = keyspaces[name] { return known }
    let collection = try store.collection(name)
    keyspaces[name] = collection
    return collection
  }
}
