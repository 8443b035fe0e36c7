/// What reading every byte of a store's file found.
public struct VerificationReport: Hashable, Sendable {
  /// The path of the file that was read.
  public let path: String
  /// How many bytes the file has.
  public let fileByteCount: UInt64
  /// The two blocks that the file is entered by.
  public internal(set) var superblocks: [Superblock] = []
  /// Whether the log ends where whoever wrote the file last closed it; nil if its end cannot be told.
  public internal(set) var wasClosed: Bool?
  /// The byte behind the last record that counts; nil if that cannot be told.
  public internal(set) var logEnd: UInt64?
  /// The number of the last change; nil if that cannot be told.
  public internal(set) var sequence: UInt64?
  /// All that is not as it should be, or worth knowing, in the order of the file.
  public internal(set) var findings: [Finding] = []
  /// The segments in the order of the file.
  public internal(set) var segments: [Segment] = []

  init(path: String, fileByteCount: UInt64) {
    self.path = path
    self.fileByteCount = fileByteCount
  }

  /// Whether nothing is damaged.
  ///
  /// What a crash leaves is no damage: the end of a log that was not synced is cut off by the next opening.
  public var isIntact: Bool { findings.allSatisfy { !$0.kind.isDamage } }

  /// One of the blocks that the file is entered by.
  public struct Superblock: Hashable, Sendable {
    /// Its first byte in the file.
    public let offset: UInt64
    /// What it says, or what is wrong with it.
    public let state: State

    /// What a superblock says.
    public enum State: Hashable, Sendable {
      /// It is sound and says that the file was closed.
      case closed(generation: UInt64)
      /// It is sound and says that the file may be in use, or was when its writer ended.
      case open(generation: UInt64)
      /// It is not sound, for the reason given.
      case damaged(reason: String)
      /// The disk cannot read it.
      case unreadable
    }
  }

  /// Something that is not as it should be, or worth knowing.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// What it is.
    public let kind: Kind
    /// The bytes of the file that it is about.
    public let range: Range<UInt64>
    /// What it means, and what to do.
    public let message: String

    /// The kind, the place and the message.
    public var description: String {
      "\(kind) at bytes \(range.lowerBound)..<\(range.upperBound): \(message)"
    }

    /// A kind of finding; later versions may add some.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
      /// The kind's name.
      public let description: String
      /// Whether something that belongs to the store is lost or in danger.
      public let isDamage: Bool

      /// Bytes of the store are not what was written.
      public static let corrupt = Kind(description: "corrupt", isDamage: true)
      /// The disk cannot read the bytes.
      public static let unreadable = Kind(description: "unreadable", isDamage: true)
      /// Sound parts contradict each other.
      public static let inconsistent = Kind(description: "inconsistent", isDamage: true)
      /// What was written last and not synced before a crash; it never counted.
      public static let torn = Kind(description: "torn", isDamage: false)
      /// A part of the file that is sound and not in use, or that compaction has still to free.
      public static let orphaned = Kind(description: "orphaned", isDamage: false)
    }
  }

  /// A part of the file in one use.
  public struct Segment: Hashable, Sendable {
    /// What it is used for.
    public let kind: Kind
    /// The number of this use, which grows over the file's life.
    public let generation: UInt64
    /// Its bytes in the file.
    public let range: Range<UInt64>
    /// How many of its bytes hold something.
    public internal(set) var usedByteCount: UInt64
    /// The records that users made.
    public internal(set) var recordCount: UInt64 = 0
    /// The bytes of what users can still read; nil if that cannot be told.
    public internal(set) var liveByteCount: UInt64?
    /// The bytes that compaction will leave out; nil if that cannot be told.
    public internal(set) var deadByteCount: UInt64?
    /// Whether nothing in it is damaged.
    public internal(set) var isIntact = true
    /// Whether it belongs to the store; one that does not is only found because its header is still there.
    public let isInUse: Bool

    /// What a segment is used for.
    public enum Kind: String, Sendable {
      /// Changes in the order in which they were made.
      case hot
      /// What compaction copied.
      case survivors
      /// The bytes of a large value.
      case extent
      /// A part of the stored index.
      case index
      /// What was set last, until it goes to its place in the log.
      case window
    }

    /// How much of it holds something, from 0 to 1.
    public var fill: Double { Double(usedByteCount) / Double(range.count) }
  }
}
