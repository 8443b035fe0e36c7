package import SedimentFormat

/// What reading the log came to (DESIGN.md 7, steps 2 to 7): the catalogue at its end, and where that is.
///
/// Nothing was written for it. Unless the log is clean, `Securing` makes it durable before anything is served.
package struct RecoveredLog: Sendable {
  /// The two superblocks.
  package internal(set) var head: Head
  /// The catalogue at the log's end, the entry of the tail counted up to there.
  package internal(set) var catalogue: Catalogue
  /// Behind the last record that counts.
  package internal(set) var end: LogPosition
  /// The segment that the log ends in; what it holds is in the catalogue's entry.
  package internal(set) var tail: SegmentEntry
  /// The sequence of the last record that counts.
  package internal(set) var lastSequence: SequenceNumber
  /// Everything below it was known to be on the medium when the log was read.
  package internal(set) var watermark: LogPosition
  /// Whether the log was closed in order and nothing needs to be done to it.
  package internal(set) var isClean: Bool
  /// Where the checkpoint begins that was used, or that securing the log made.
  package internal(set) var checkpoint: LogPosition
  /// Behind how many bytes of records the next checkpoint will have to replay so far.
  package internal(set) var replayedByteCount: UInt64
  package internal(set) var replayedRecordCount: UInt64
  /// Why the log ends where it does; nil where its segment is full to its end.
  package internal(set) var ending: FormatError?
  /// Where the log ended when it was read.
  package internal(set) var cut: LogPosition
  /// The latest wall clock that a mark or the catalogue tells, in milliseconds.
  package let clock: UInt64
  /// The highest numbers that anything seen names: after a cut, the next are far above.
  package internal(set) var highestSequence: SequenceNumber
  package internal(set) var highestGeneration: Generation
  /// The file with what its window has laid over the log; nil if that is nothing, or was written to its place.
  package internal(set) var patched: StoreFile?
  /// What stands above the watermark, for `Securing`.
  var unsecured: Unsecured

  /// What is to be written again, since reading it proved only that the cache has it.
  struct Unsecured: Sendable {
    let fileByteCount: UInt64
    /// Records of the hot log, and of the survivors adopted at or above the watermark that the catalogue still holds.
    var stretches: [LogStretch] = []
    /// The extents of puts at or above the watermark that the catalogue still holds.
    var extents: [ValuePlace.Piece] = []
  }
}

/// A run of records of one segment.
struct LogStretch: Sendable {
  let header: SegmentHeader
  let start: UnitOffset
  var end: UnitOffset
  /// Where the record stands that names the segment; nil where the log was read from a checkpoint on.
  var adoptedAt: LogPosition?

  var identity: SegmentIdentity { header.identity }
}
