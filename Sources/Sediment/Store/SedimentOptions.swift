internal import SedimentFormat

/// How a store is opened and run.
public struct SedimentOptions: Sendable {
  /// What a change survives once its call has returned, unless the call says otherwise.
  public var durability: SedimentDurability
  /// Whether opening throws `notFound` instead of creating a file that is not there, and `foreign` for an empty one.
  public var mustExist: Bool
  /// Whether the store is only read, which any number of processes may do at a time while none writes.
  ///
  /// The file must be there. Nothing is written to it, not even to recover it after a crash: the store then shows what
  /// recovery would keep.
  public var readOnly: Bool
  /// Who may read and write the file if it is created, as permission bits of Unix, less those of the process's mask.
  ///
  /// From 0600 to 0777, with read and write for the owner. A file that is there keeps its own; backups and salvaged files
  /// are their owner's alone. Whoever may read the file can also keep writers from opening it, by opening it first.
  public var permissions: UInt16
  /// How the bytes of the file are read and written.
  public var access: Access
  /// Whether each read compares the checksum of the record with its bytes.
  ///
  /// Without that, reads are a little quicker, and bits that changed on the disk go unnoticed.
  public var verifiesReads: Bool
  /// The longest value that reads return, in bytes, from 131,072 to 1,073,741,824; a longer one throws `tooLarge`.
  ///
  /// A compressed value can be thousands of times as long as what the file has of it, so a file of unknown origin can
  /// make a reader take a GiB of memory for each key. The limit is asked before any memory is taken. It does not apply to
  /// values that records hold uncompressed: of these this engine writes none that is longer than the least limit.
  public var valueByteCountMax: Int
  /// How large the file may become, and what happens when it is full.
  public var capacity: SedimentCapacity
  /// Whether and when the space of values that were replaced, removed or have expired is won back.
  public var compaction: SedimentCompaction
  /// How new values are compressed.
  ///
  /// Values that are stored already can be read whatever it says.
  public var compression: SedimentCompression
  /// Whether the index is stored in the file now and then and at the close, so that opening need not read all records.
  public var storesIndex: Bool
  /// Called for each event of the store, in their order, soon after the event and on a thread of the background.
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
  /// From how many entries on a part of a stored index is complete: 96 KiB, which find room in a scattered file; tests
  /// take fewer.
  package var storedPartEntryCount = 12 << 10

  /// Creates options.
  ///
  /// With the default options, a power failure takes at most the changes of the last second, and the death of the
  /// process takes none.
  public init(
    durability: SedimentDurability = .interval(.seconds(1)), mustExist: Bool = false, readOnly: Bool = false,
    permissions: UInt16 = 0o600, access: Access = .automatic, verifiesReads: Bool = true,
    valueByteCountMax: Int = 1 << 30,
    capacity: SedimentCapacity = .unlimited,
    compaction: SedimentCompaction = .automatic, compression: SedimentCompression = .automatic,
    storesIndex: Bool = true,
    observer: (@Sendable (SedimentEvent) -> Void)? = nil
  ) {
    self.durability = durability
    self.mustExist = mustExist
    self.readOnly = readOnly
    self.permissions = permissions
    self.access = access
    self.verifiesReads = verifiesReads
    self.valueByteCountMax = valueByteCountMax
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

  /// How the bytes of a file are read and written.
  public struct Access: Sendable, Hashable, CustomStringConvertible {
    /// The name of the way.
    public let description: String

    /// The quickest way that the file system allows: the file is mapped into memory, and many small changes are
    /// written at a time.
    public static let automatic = Self(description: "automatic")
    /// By system calls alone.
    ///
    /// A failing disk is then always an error, where a mapped file could end the process by a signal.
    public static let unmapped = Self(description: "unmapped")
    /// As `automatic`, but without a window, as where the file system makes none safe.
    package static let windowless = Self(description: "windowless")
  }
}

/// What a change survives once its call has returned.
///
/// Every change survives the death of the process. After a power failure the store has all changes up to some moment,
/// never one without those before it.
public enum SedimentDurability: Sendable, Hashable {
  /// The system writes the change to the disk when it likes; a power failure may take the last changes.
  case unsynced
  /// The store syncs in the background at most so long after the change, so a power failure takes no more than that.
  case interval(Duration)
  /// The change is on the disk when the call returns. Calls of several threads share a sync.
  case synced
}

/// When a value expires: from then on its key has no value.
public enum SedimentExpiry: Sendable, Hashable {
  /// Never.
  case never
  /// When the present value of the key expires; never if it has none.
  case unchanged
  /// So long after now.
  case after(Duration)
  /// At a time of the wall clock, in milliseconds since 1970.
  case at(milliseconds: UInt64)

  /// As a record says it: 0 for never.
  @usableFromInline
  init(written milliseconds: UInt64) {
    self = milliseconds == 0 ? .never : .at(milliseconds: milliseconds)
  }
}

/// How large the file of a store may become.
///
/// Opening throws `invalidArgument` for less than the 48 KiB of an empty file.
/// A file that is larger already, because an earlier opening allowed more, shrinks in the background or by `compact`.
public enum SedimentCapacity: Sendable, Hashable {
  /// As large as the disk allows.
  case unlimited
  /// At most so many bytes. A change for which there is no room throws `outOfSpace`.
  case limited(maxBytes: UInt64)
  /// At most so many bytes. Where there is no room, values that have expired are left out first, and then values that
  /// were not read lately.
  ///
  /// The bytes are those of the whole file, in which records have less: half a MiB is the least that makes sense.
  case evicting(maxBytes: UInt64)

  /// The bytes that the file may have; nil for any number.
  var byteCountMax: UInt64? {
    switch self {
    case .unlimited: nil
    case .limited(let byteCount), .evicting(let byteCount): byteCount
    }
  }

  /// The bytes of an empty file.
  static var byteCountMin: UInt64 { UInt64(Limits.headSlotCount + 1) << UInt64(Limits.slotByteCountLog2) }

  var evicts: Bool {
    if case .evicting = self { return true }
    return false
  }
}

/// Whether and when a store wins back the space of values that were replaced, removed or have expired.
public enum SedimentCompaction: Sendable, Hashable {
  /// Never: no record is moved once it was written.
  case off
  /// When `compact` is called, and when a change finds no room otherwise.
  case manual
  /// In the background, as far as it pays.
  case automatic
}

/// How values are compressed: each by itself, and only if that saves at least an eighth of it.
public enum SedimentCompression: Sendable, Hashable {
  /// Not at all.
  case off
  /// By zstd with a level from 1 to 19, without dictionaries: for large values that should become as small as
  /// possible.
  case zstd(level: Int)
  /// By zstd with a quick level; for small values, the store trains dictionaries from the values that it has.
  ///
  /// Small values that resemble each other, such as JSON, become several times smaller. The store stops trying where
  /// values turn out not to be compressible.
  case automatic
}
