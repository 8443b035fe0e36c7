/// How a store is opened.
public struct SedimentOptions: Sendable {
  /// What a change survives before the call that made it returns, unless the call says otherwise.
  public var durability: SedimentDurability
  /// Whether a file that is not there is the error `notFound` rather than created.
  public var mustExist: Bool
  /// Whether the store is only read; any number of processes may do so at a time, while none writes.
  ///
  /// The file must be there and is not written to, not even to recover it: what a crash left is read as it is.
  public var readOnly: Bool
  /// How the file's bytes are reached.
  public var access: Access
  /// Whether each read compares the checksum of what it found.
  ///
  /// Without it reads are a little quicker, and a bit that rotted goes unnoticed.
  public var verifiesReads: Bool
  /// How large the file may become, and what happens when it is full.
  public var capacity: SedimentCapacity
  /// Whether and when the space of what was replaced, removed or has expired is won back.
  public var compaction: SedimentCompaction
  /// How values are compressed when they are stored; what is stored already is read whatever this says.
  public var compression: SedimentCompression
  /// Whether the index is stored in the file now and then and when the store is closed, so that opening it takes no
  /// scan of all records.
  public var storesIndex: Bool
  /// Called with what happens to the store, in its order, soon afterwards and on a thread of the background.
  ///
  /// All stores of the process share these threads, so it must return soon. It may use the store.
  public var observer: (@Sendable (SedimentEvent) -> Void)?

  /// What dead records may take in a small store before compaction is due, in slots of the file; tests take fewer.
  package var slackSlotCount: UInt32 = 64
  /// From how many slots on a file has a window, and how many of these it takes; tests take fewer.
  package var windowedSlotCount: UInt32 = 64
  package var windowSlotCount: UInt32 = 4
  /// What the entries of a catalogue change may take in one record; longer changes are batches, and tests take less.
  package var changeByteCountMax = 15_000

  /// Creates options; without arguments they are those of a store that loses at most a second to a power failure
  /// and nothing to the death of the process.
  public init(
    durability: SedimentDurability = .interval(.seconds(1)), mustExist: Bool = false, readOnly: Bool = false,
    access: Access = .automatic, verifiesReads: Bool = true, capacity: SedimentCapacity = .unlimited,
    compaction: SedimentCompaction = .automatic, compression: SedimentCompression = .automatic,
    storesIndex: Bool = true,
    observer: (@Sendable (SedimentEvent) -> Void)? = nil
  ) {
    self.durability = durability
    self.mustExist = mustExist
    self.readOnly = readOnly
    self.access = access
    self.verifiesReads = verifiesReads
    self.capacity = capacity
    self.compaction = compaction
    self.compression = compression
    self.storesIndex = storesIndex
    self.observer = observer
  }

  /// Lets even a small store have a window, of one slot, as tests of it need.
  package mutating func useSmallWindow() {
    windowedSlotCount = 0
    windowSlotCount = 1
  }

  /// How the file's bytes are reached.
  public struct Access: Sendable, Hashable, CustomStringConvertible {
    /// Its name.
    public let description: String

    /// Read through memory that the file is mapped to, and small changes written many at a time; the quickest.
    public static let automatic = Self(description: "automatic")
    /// By system calls alone: a failing disk is an error there, and never a signal.
    public static let unmapped = Self(description: "unmapped")
    /// As `automatic`, but without a window, as where the file system makes none safe.
    package static let windowless = Self(description: "windowless")
  }
}

/// What a change survives once the call that made it has returned.
///
/// The death of the process it survives in any case. What is there after a power failure is always a prefix of
/// the history of changes, never one change without those before it.
public enum SedimentDurability: Sendable, Hashable {
  /// The system writes it to the disk when it likes: after a power failure the last changes may be missing.
  case unsynced
  /// The store syncs in the background so soon after the change: a power failure takes at most that long.
  case interval(Duration)
  /// It is on the disk before the call returns; calls of several threads share a sync.
  case synced
}

/// When a value ceases to be there.
public enum SedimentExpiry: Sendable, Hashable {
  /// Never.
  case never
  /// When the key's present value does; never if there is none.
  case unchanged
  /// So long after now.
  case after(Duration)
  /// At a wall time, in milliseconds since 1970.
  case at(milliseconds: UInt64)

  /// As a record says it: 0 for never.
  @usableFromInline
  init(written milliseconds: UInt64) {
    self = milliseconds == 0 ? .never : .at(milliseconds: milliseconds)
  }
}

/// How large a store's file may become.
///
/// One that is longer already, since it was opened with more before, comes down in the background or with `compact`.
public enum SedimentCapacity: Sendable, Hashable {
  /// As large as the disk allows.
  case unlimited
  /// At most so many bytes: a change for which there is no room then fails with `outOfSpace`.
  case limited(maxBytes: UInt64)
  /// At most so many bytes: what was not read lately makes room, with what has expired before everything else.
  ///
  /// The file never exceeds them, so less than that is there for records: half a MiB is the least that makes sense.
  case evicting(maxBytes: UInt64)

  /// The bytes that the file may have; nil for any number.
  var byteCountMax: UInt64? {
    switch self {
    case .unlimited: nil
    case .limited(let byteCount), .evicting(let byteCount): byteCount
    }
  }

  var evicts: Bool {
    if case .evicting = self { return true }
    return false
  }
}

/// Whether and when a store wins back the space of what is dead.
public enum SedimentCompaction: Sendable, Hashable {
  /// Never; nothing that was written is ever moved.
  case off
  /// When `compact` is called, and when there would be no room for a change otherwise.
  case manual
  /// In the background, as it pays.
  case automatic
}

/// How values are compressed, each on its own and only where it saves at least an eighth.
public enum SedimentCompression: Sendable, Hashable {
  /// Not at all.
  case off
  /// By zstd alone, of a level from 1 to 19: for large values that are to become as small as can be.
  case zstd(level: Int)
  /// By zstd at a quick level, small values with dictionaries that the store trains itself from what is stored.
  ///
  /// Values that are alike, such as JSON, then become several times smaller. What proves incompressible is left alone.
  case automatic
}
