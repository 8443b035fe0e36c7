internal import SedimentDisk
internal import SedimentFormat

/// Wins back space: moves and frees segments, leaves out what has expired or is evicted, and lets the file shrink.
///
/// It is the state of the lock of maintenance: whoever has it has the lock, so that one thread at a time moves segments.
@safe
struct Compaction: AboveReader, ~Copyable {
  let reader: Reader
  let log: Log
  let contents: Contents
  let compressor: Compressor
  let writer: Locked<LogWriter>
  /// Held while the index is stored.
  let storingLock: Lock
  /// Dictionaries that are given up, and the tags behind which no reader needs them.
  var endedDictionaries: [(number: UInt32, tag: UInt64)] = []
  /// Whether extents were looked for that the process died before it could free.
  var hasSoughtExtents: Bool
  #if DEBUG
    /// Whether the accounts were right when the store was opened.
    var hadRightAccounts = false
  #endif

  init(
    _ contents: Contents, _ compressor: Compressor, _ writer: Locked<LogWriter>, _ storingLock: Lock
  ) {
    reader = contents.reader
    log = contents.log
    self.contents = contents
    self.compressor = compressor
    self.writer = writer
    self.storingLock = storingLock
    hasSoughtExtents = writer.withLock { writer in contents.lostExtentSlotCount(writer) == 0 }
  }
}
