internal import SedimentFormat

/// What `SedimentStore.verify` found in a file.
public struct VerificationReport: Hashable, Sendable {
  /// The path of the file that was read.
  public let path: String
  /// How many bytes the file has.
  public let fileByteCount: UInt64
  /// The two superblocks, one of which every opening begins with.
  public internal(set) var superblocks: [Superblock] = []
  /// Whether the last process that wrote the file closed it; nil if that is not known.
  public internal(set) var wasClosed: Bool?
  /// The byte of the file behind the last record that counts; nil if it is not known.
  public internal(set) var logEnd: UInt64?
  /// The number of the last change; nil if it is not known.
  public internal(set) var sequence: UInt64?
  /// What is damaged or worth knowing, in the order of the file.
  public internal(set) var findings: [Finding] = []
  /// The segments, in the order of the file.
  public internal(set) var segments: [Segment] = []

  init(path: String, fileByteCount: UInt64) {
    self.path = path
    self.fileByteCount = fileByteCount
  }

  /// Whether nothing is damaged.
  ///
  /// The end of a log that a crash left before it was synced is no damage: the next opening cuts it off.
  public var isIntact: Bool { findings.allSatisfy { !$0.kind.isDamage } }

  /// One of the two blocks that openings begin with.
  public struct Superblock: Hashable, Sendable {
    /// The position of its first byte in the file.
    public let offset: UInt64
    /// What the superblock says, or what is wrong with it.
    public let state: State

    /// What a superblock says, or what is wrong with it.
    public enum State: Hashable, Sendable {
      /// It is sound and says that the file was closed.
      case closed(generation: UInt64)
      /// It is sound and says that the file was not closed: a process has it open, or ended without closing it.
      case open(generation: UInt64)
      /// It is damaged, for this reason.
      case damaged(reason: String)
      /// The disk cannot read it.
      case unreadable
    }
  }

  /// Something that is damaged or worth knowing.
  public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The kind of the finding.
    public let kind: Kind
    /// The bytes of the file that the finding is about.
    public let range: Range<UInt64>
    /// What was found, what it means, and what to do.
    public let message: String

    /// The kind, the place and the message.
    public var description: String {
      "\(kind) at bytes \(range.lowerBound)..<\(range.upperBound): \(message)"
    }

    /// A kind of finding; later versions may add more.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
      /// The name of the kind.
      public let description: String
      /// Whether it is damage: something of the store is lost, or may be.
      public let isDamage: Bool

      /// Bytes of the store are not those that were written.
      public static let corrupt = Kind(description: "corrupt", isDamage: true)
      /// The disk cannot read the bytes.
      public static let unreadable = Kind(description: "unreadable", isDamage: true)
      /// Parts of the file that are sound by themselves contradict each other.
      public static let inconsistent = Kind(description: "inconsistent", isDamage: true)
      /// The end of the log, which was not synced before a crash.
      public static let torn = Kind(description: "torn", isDamage: false)
      /// A sound part of the file that is not in use, or that compaction has still to free.
      public static let orphaned = Kind(description: "orphaned", isDamage: false)
    }
  }

  /// A part of the file that has one use.
  public struct Segment: Hashable, Sendable {
    /// What the segment is used for.
    public let kind: Kind
    /// The number of this use; later uses have higher numbers.
    public let generation: UInt64
    /// The bytes of the file that it takes.
    public let range: Range<UInt64>
    /// How many of its bytes hold something.
    public internal(set) var usedByteCount: UInt64
    /// How many records of keys it holds.
    public internal(set) var recordCount: UInt64 = 0
    /// The bytes of records that hold present values; nil if that is not known.
    public internal(set) var liveByteCount: UInt64?
    /// The bytes that compaction will leave out; nil if that is not known.
    public internal(set) var deadByteCount: UInt64?
    /// Whether nothing in it is damaged.
    public internal(set) var isIntact = true
    /// Whether the store uses it; one that is not in use is listed because its header is still there.
    public let isInUse: Bool

    /// What a segment is used for.
    public typealias Kind = SedimentSegment.Kind

    /// The part of its bytes that hold something, from 0 to 1.
    public var fill: Double { Double(usedByteCount) / Double(range.count) }
  }
}

// MARK: Making

extension VerificationReport {
  mutating func add(_ kind: Finding.Kind, _ range: Range<UInt64>, _ message: String) {
    findings.append(Finding(kind: kind, range: range, message: message))
  }

  /// Brings what was found into the order of the file, and tells of each segment whether it is intact.
  mutating func settle() {
    findings.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
    segments.sort { ($0.range.lowerBound, $0.generation) < ($1.range.lowerBound, $1.generation) }
    var damaged = ByteRuns()
    for finding in findings where finding.kind.isDamage { damaged.insert(finding.range) }
    for number in segments.indices where damaged.overlaps(segments[number].range) {
      segments[number].isIntact = false
    }
  }
}

extension VerificationReport.Segment {
  init(_ identity: SegmentIdentity, usedByteCount: UInt64, isInUse: Bool) {
    kind = Kind(identity.kind)
    generation = identity.generation.rawValue
    range = identity.run.byteRange
    self.usedByteCount = usedByteCount
    self.isInUse = isInUse
  }
}
