/// One of the two blocks that a file is entered by (DESIGN.md 3.2).
///
/// It names the checkpoint that recovery begins with. The two are written in turn, never both unsynced, and only
/// after what they name is on the medium (invariant 16).
package struct Superblock: Hashable, Sendable {
  /// Which of the two it is.
  package var copy: Copy
  /// The number of this writing; the higher of two sound copies leads.
  package var generation: Generation
  package var features: Features
  package var identity: FileIdentity
  /// Whether a writer may have appended to the log since.
  package var state: State
  package var lineage: Lineage
  /// A random number of the opening that wrote it.
  package var session: UInt64
  /// When the file was made, in milliseconds since 1970.
  package var createdAt: UInt64
  /// The segment that the checkpoint begins in.
  package var segment: SegmentIdentity
  /// Where the checkpoint's first part begins.
  package var checkpoint: UnitOffset
  /// A log position up to which everything was on the medium before this block was written: the end of the log
  /// where the state is closed.
  package var watermark: LogPosition

  package enum Copy: UInt32, Sendable, CaseIterable {
    case first = 0
    case second = 1

    package var byteOffset: UInt64 {
      UInt64(rawValue) * UInt64(Limits.slotByteCount)
    }

    package var other: Copy {
      self == .first ? .second : .first
    }
  }

  package enum State: UInt8, Sendable, CaseIterable {
    /// The log may go on behind the watermark.
    case open = 0
    /// The log ends at the watermark; nothing was appended behind it.
    case closed = 1
  }

  package init(
    copy: Copy, generation: Generation, features: Features = Features(), identity: FileIdentity, state: State,
    lineage: Lineage, session: UInt64, createdAt: UInt64, segment: SegmentIdentity, checkpoint: UnitOffset,
    watermark: LogPosition
  ) {
    self.copy = copy
    self.generation = generation
    self.features = features
    self.identity = identity
    self.state = state
    self.lineage = lineage
    self.session = session
    self.createdAt = min(createdAt, Limits.clockMax)
    self.segment = segment
    self.checkpoint = checkpoint
    self.watermark = watermark
  }

  package static let byteCount = Limits.superblockByteCount
  package static let major: UInt16 = 1
  package static let minor: UInt16 = 0
}

/// Which history a file's sequences count, so that those of two copies that went different ways are not mixed.
package struct Lineage: Hashable, Sendable {
  /// Random, new for each file that is created, restored or salvaged.
  package var low: UInt64
  package var high: UInt64
  /// The lineage that this one left, both halves 0 for none.
  package var parentLow: UInt64
  package var parentHigh: UInt64
  /// The sequence after which it left.
  package var fork: SequenceNumber

  package init(
    low: UInt64, high: UInt64, parentLow: UInt64 = 0, parentHigh: UInt64 = 0, fork: SequenceNumber = .zero
  ) {
    self.low = low
    self.high = high
    self.parentLow = parentLow
    self.parentHigh = parentHigh
    self.fork = fork
  }
}

/// What a file uses beyond the first version, in three words by what an older program may still do with it.
package struct Features: Hashable, Sendable {
  /// Must be known by who reads the file.
  package var neededToRead: UInt64 = 0
  /// Must be known by who writes the file.
  package var neededToWrite: UInt64 = 0
  /// May be ignored.
  package var ignorable: UInt64 = 0

  package init(neededToRead: UInt64 = 0, neededToWrite: UInt64 = 0, ignorable: UInt64 = 0) {
    self.neededToRead = neededToRead
    self.neededToWrite = neededToWrite
    self.ignorable = ignorable
  }

  /// The bit of `neededToRead` that says that there may be a window, and entries of segments with what expires of them.
  package static let window: UInt64 = 1

  /// The ones that this version knows.
  package static let known = Features(neededToRead: window)

  /// Whether this version may read a file that has them.
  package var mayRead: Bool {
    neededToRead & ~Self.known.neededToRead == 0
  }

  /// Whether this version may write a file that has them.
  package var mayWrite: Bool {
    mayRead && neededToWrite & ~Self.known.neededToWrite == 0
  }
}
