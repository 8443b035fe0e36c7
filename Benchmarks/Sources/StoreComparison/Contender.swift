package import BenchmarkHarness

/// What a store is to be opened for.
public struct StorePlace: Sendable {
  /// A folder for the files of this store alone.
  public var folder: String

  /// About how many keys there will be: some stores want to know.
  public var keyCount: Int

  /// Whether each set is to be on the disk when it returns; else nothing has to wait for the disk.
  public var isSynced: Bool

  /// Whether values can be compressed: else they are random bytes.
  public var isCompressible: Bool

  /// From how many threads it will be called.
  public var threadCount: Int

  /// How much memory the process has; nil where it is more than all data take.
  public var memoryByteCount: Int?

  /// Whether a process that has less memory than all data take opens the store, now or later.
  public var isMemoryLimited: Bool

  /// A folder, which exists, for about so many keys.
  public init(
    folder: String, keyCount: Int, isSynced: Bool = false,
    isCompressible: Bool = false, threadCount: Int = 1,
    memoryByteCount: Int? = nil, isMemoryLimited: Bool = false
  ) {
    self.folder = folder
    self.keyCount = keyCount
    self.isSynced = isSynced
    self.isCompressible = isCompressible
    self.threadCount = threadCount
    self.memoryByteCount = memoryByteCount
    self.isMemoryLimited = isMemoryLimited || memoryByteCount != nil
  }
}

/// One of the stores that are compared.
public struct Contender: Sendable {
  /// What it is called in tables and charts.
  public let name: String

  /// The version that is measured.
  public let version: String

  /// How it is set up and why, one sentence each.
  public let settings: [String]

  /// The name of the contender that this one repeats, to show the noise; nil for all others.
  public let repeats: String?

  /// Opens a store, or opens again what is in the folder.
  package let open: @Sendable (StorePlace) throws -> StoreCalls

  /// Creates a contender of the type of store that `open` returns.
  @inlinable
  public init<Store: BenchmarkStore>(
    _ name: String, version: String, settings: [String] = [],
    open: @escaping @Sendable (StorePlace) throws -> Store
  ) {
    self.init(name, version: version, settings: settings, erased: { StoreCalls(try open($0)) })
  }

  @usableFromInline
  init(
    _ name: String, version: String, settings: [String], repeats: String? = nil,
    erased open: @escaping @Sendable (StorePlace) throws -> StoreCalls
  ) {
    self.name = name
    self.version = version
    self.settings = settings
    self.repeats = repeats
    self.open = open
  }
}

/// The loops over one open store.
///
/// They are closures made where the store's type is known, so that the compiler builds each loop for it: a loop that calls
/// through a protocol would add to the figures of quick stores what slow ones do not notice.
@usableFromInline
package struct StoreCalls: Sendable {
  @usableFromInline package typealias Keys = ArraySlice<BenchmarkKey>

  @usableFromInline package let setEach: @Sendable (Keys, [UInt8], _ mask: UInt64) throws -> Void
  @usableFromInline package let setEachSized:
    @Sendable (Keys, ArraySlice<UInt16>, [UInt8], _ mask: UInt64) throws -> Void
  /// Throws ``Unsupported`` where there are no batches.
  @usableFromInline package let setMany: @Sendable (Keys, [UInt8], _ mask: UInt64) throws -> Void
  @usableFromInline package let setValue: @Sendable (BenchmarkKey, RawSpan) throws -> Void
  @usableFromInline package let retrieveValue: @Sendable (BenchmarkKey, inout [UInt8]) throws -> Bool
  @usableFromInline package let countWrongRetrieved: @Sendable (Keys, _ mask: UInt64) throws -> Int
  @usableFromInline package let countWrongInPlace: @Sendable (Keys, _ mask: UInt64) throws -> Int
  @usableFromInline package let countWrongBatched: @Sendable (Keys, _ mask: UInt64) throws -> Int
  @usableFromInline package let countFound: @Sendable (Keys) throws -> Int
  @usableFromInline package let countNotRemoved: @Sendable (Keys) throws -> Int
  @usableFromInline package let countIterated: @Sendable (_ mask: UInt64) throws -> Int
  @usableFromInline package let countWrongInSteps:
    @Sendable (Keys, ArraySlice<MixedStep>, [UInt8], _ mask: UInt64, StepSchedule?) throws -> Int
  @usableFromInline package let sync: @Sendable () throws -> Void
  @usableFromInline package let settle: @Sendable () throws -> Void
  @usableFromInline package let pendingWork: @Sendable () -> Int
  @usableFromInline package let arrange: @Sendable () throws -> Void
  @usableFromInline package let compact: @Sendable () throws -> Void
  @usableFromInline package let close: @Sendable () throws -> Void

  @inlinable
  package init<Store: BenchmarkStore>(_ store: Store) {
    setEach = { try StoreComparison.setEach(store, $0, $1, mask: $2) }
    setEachSized = { try StoreComparison.setEachSized(store, $0, $1, $2, mask: $3) }
    setMany = { keys, value, mask in
      for start in stride(from: keys.startIndex, to: keys.endIndex, by: keysInALoad) {
        try store.setMany(keys[start..<min(start + keysInALoad, keys.endIndex)], value, mask: mask)
      }
    }
    setValue = { try store.set($0, $1) }
    retrieveValue = { try store.retrieve($0, into: &$1) }
    countWrongRetrieved = { try StoreComparison.countWrongRetrieved(store, $0, mask: $1) }
    countWrongInPlace = { try StoreComparison.countWrongInPlace(store, $0, mask: $1) }
    countWrongBatched = { try StoreComparison.countWrongBatched(store, $0, mask: $1) }
    countFound = { try StoreComparison.countFound(store, $0) }
    countNotRemoved = { try StoreComparison.countNotRemoved(store, $0) }
    countIterated = { try StoreComparison.countIterated(store, mask: $0) }
    countWrongInSteps = { try StoreComparison.countWrongInSteps(store, $0, $1, $2, mask: $3, $4) }
    sync = { try store.sync() }
    settle = { try store.settle() }
    pendingWork = { store.pendingWork() }
    arrange = { try store.arrange() }
    compact = { try store.compact() }
    close = { try store.close() }
  }
}

extension StoreCalls {
  /// Sets keys in batches where there are any, else one by one.
  package func fill(_ keys: Keys, _ value: [UInt8], _ mask: UInt64) throws {
    do {
      try setMany(keys, value, mask)
    } catch is Unsupported {
      try setEach(keys, value, mask)
    }
  }
}

extension Contender {
  /// What a report says of it.
  package var note: Report.ContenderNote {
    Report.ContenderNote(name: name, version: version, settings: settings, repeats: repeats)
  }

  /// The same contender once more, under another name: by how much their figures differ is noise.
  public var again: Contender {
    Contender(
      "\(name), again", version: version, settings: ["The same as \(name): what differs is noise."],
      repeats: name,
      erased: open)
  }
}
