internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// Trains dictionaries in the background, and writes and syncs each before its first use (DESIGN.md 8).
@safe
final class DictionaryTrainer: AboveReader, Sendable {
  let reader: Reader
  let log: Log
  let contents: Contents
  let compressor: Compressor
  let compactor: Compactor
  let writer: Locked<LogWriter>?
  /// How long dictionaries were trained.
  let trainingNanoseconds = Atomic<UInt64>(0)

  init(_ compactor: Compactor) {
    contents = compactor.contents
    reader = contents.reader
    log = contents.log
    compressor = compactor.compressor
    self.compactor = compactor
    writer = contents.writer
  }
}

extension DictionaryTrainer {
  /// Trains a dictionary for each collection that has enough samples.
  func trainInBackground() {
    for state in collections.all where lifetime.isUsable {
      do throws(SedimentError) {
        // Whoever has this lock knows that no values are held here which were set before.
        try compactor.trainingLock.withLock { () throws(SedimentError) in
          if let samples = state.compression.samples.takeSamples() { try train(samples, state) }
        }
      } catch  where [.closed, .collectionDropped, .outOfSpace, .outcomeUnknown].contains(error.code) {
        // A full store goes on without it; the others are no failures, or were told with what poisoned.
      } catch {
        background.tell(.failed(error))
      }
    }
  }

  private func train(_ samples: SampleBuffer.Samples, _ state: CollectionState) throws(SedimentError) {
    guard let level = compressor.level, let codec = ZstdCodec() else { return }
    let began = disk.monotonicClock()
    let number = writer?.withLock { writer in state.compression.dictionaryNumber(writer.permit) } ?? 0
    // No reader while it trains: a full store may need what that would hold.
    Readers.enter(domain)
    let before = dictionaries.dictionary(number)
    Readers.leave()
    let bytes = DictionaryTraining(samples, level: level).run(replacing: before, with: codec)
    trainingNanoseconds.add(disk.monotonicClock() &- began, ordering: .relaxed)
    state.compression.noteTraining(isFruitful: bytes != nil)
    if let bytes { try addDictionary(bytes, for: state, level: level) }
  }

  // MARK: Birth

  /// Writes a dictionary, and lets values be compressed with it once it is on the medium.
  func addDictionary(
    _ bytes: [UInt8], for state: CollectionState, level: Int32
  ) throws(SedimentError) {
    let written = try compactor.makingSpace(forStoring: bytes.count) { () throws(SedimentError) in
      try log.withWriter { (writer) throws(SedimentError) in try appendDictionary(bytes, for: state, &writer)
      }
    }
    guard let (entry, sequence) = written else { return }
    defer { writer?.withLock { writer in _ = writer.unsyncedDictionaries.remove(entry.number) } }
    try log.waitForSync(sequence)
    guard
      let dictionary = CompressionDictionary(
        unsafe bytes.span.bytes, number: entry.number, level: level)
    else { return }
    writer?.withLock { writer in
      dictionaries.add(dictionary, retired)
      if !state.isDropped.load(ordering: .relaxed) { state.compression.use(dictionary, writer.permit) }
    }
  }

  /// Appends a dictionary and the change that names it, as a batch; nil if the file has had as many as it may.
  private func appendDictionary(
    _ bytes: [UInt8], for state: CollectionState, _ writer: inout LogWriter
  ) throws(SedimentError) -> (entry: DictionaryEntry, sequence: UInt64)? {
    if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
    let number = writer.catalogue.numbers.nextDictionary
    let checksum = Checksum.empty.continued(with: unsafe bytes.span.bytes)
    var entry: DictionaryEntry?
    let byteCount = try contents.append(.put, number, unsafe bytes.span.bytes, for: .storing, &writer) {
      offset in
      entry = DictionaryEntry(number: number, collection: state.number, checksum: checksum, offset: offset)
      return entry.map { .dictionary($0) }
    }
    guard let byteCount, let entry else { return nil }
    let hash = unsafe index.view.hash(
      DictionaryEntry.key(number).span.bytes, collection: CollectionEntry.dictionaries)
    index.insert(hash, position: entry.offset.rawValue, writer.permit)
    writer.noteLive(1, byteCount: byteCount)
    contents.reseedIfCrowded(&writer)
    writer.unsyncedDictionaries.insert(number)
    return (entry, writer.tail.countedSequence)
  }

  // MARK: Opening

  /// Makes the dictionaries of the file ready; those that are not whole are lost, which is told.
  func loadDictionaries(_ entries: some Sequence<DictionaryEntry>) {
    for entry in entries.sorted(by: { $0.number < $1.number }) {
      do throws(SedimentError) {
        let dictionary = try loadDictionary(entry)
        dictionaries.add(dictionary, retired)
        // A later one replaces it.
        if compressor.trainsDictionaries {
          collections.numbered(entry.collection)?.compression.use(dictionary, WritePermit())
        }
      } catch {
        dictionaries.addLost(entry.number, retired)
        background.tell(.failed(error))
      }
    }
  }

  private func loadDictionary(_ entry: DictionaryEntry) throws(SedimentError) -> CompressionDictionary {
    let position = entry.offset.byteOffset
    Readers.enter(domain)
    defer { Readers.leave() }
    let found = try reader.record(at: position)
    defer { found?.release() }
    guard let found, found.view.isIntact(at: position, seed: found.segment.seed), found.isDictionary(entry),
      found.view.valueByteCount <= Limits.dictionaryByteCountMax
    else { throw lostDictionary(entry) }
    let bytes = unsafe RawSpan(_unsafeBytes: found.view.value)
    guard Checksum.empty.continued(with: bytes) == entry.checksum,
      let dictionary = CompressionDictionary(
        bytes, number: entry.number, level: compressor.trainsDictionaries ? compressor.level : nil)
    else { throw lostDictionary(entry) }
    return dictionary
  }

  private func lostDictionary(_ entry: DictionaryEntry) -> SedimentError {
    SedimentError(
      .damaged, path: path, offset: entry.offset.byteOffset,
      message:
        "Dictionary \(entry.number) is not whole. Values that were compressed with it cannot be read; all"
        + " others can. Take those from a backup, or set them again.")
  }
}
