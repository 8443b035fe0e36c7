internal import SedimentFormat
internal import Synchronization

/// What the index leads to, counted entry by entry.
struct IndexRecount {
  /// What lives in each segment, by its generation.
  private(set) var segments: [UInt64: IndexBuildResult.Live] = [:]
  /// The keys of each collection; those that were cleared count no more.
  private(set) var collections: [UInt32: IndexBuildResult.Keys] = [:]
  /// The extents of values.
  private(set) var extents: [Generation: SegmentIdentity] = [:]
  /// Those of values that were cleared and not swept out yet.
  private(set) var clearedExtents: Set<Generation> = []
  private(set) var entryCount = 0
  /// Those that lead to records which were cleared.
  private(set) var clearedCount = 0
  /// The keys that have been counted, each behind the number of its collection, and how often one came again.
  private var seen: Set<[UInt8]> = []
  private(set) var doubleCount = 0
  /// The entries that are not under the hash of their key, so that neither a search nor a walk would find them.
  private(set) var misplacedCount = 0
  /// Whether every entry leads to a record that is whole; what a damaged one was cannot be counted.
  private(set) var isWhole = true

  var byteCount: UInt64 { segments.values.reduce(0) { $0 + $1.byteCount } }

  /// Counts what an index leads to, for whoever has the writer.
  init(of reader: Reader) {
    Readers.enter(reader.domain)
    defer { Readers.leave() }
    let view = reader.index.view
    var walk = IndexWalk()
    while walk.advance(in: view) == .entries {
      for entry in walk.entries { count(entry, view, of: reader) }
    }
  }

  private mutating func count(_ entry: IndexEntry, _ view: IndexView, of reader: Reader) {
    entryCount += 1
    guard let found = try? reader.record(at: entry.position &<< 3) else { return isWhole = false }
    defer { found.release() }
    guard found.view.isIntact(at: found.position, seed: found.segment.seed) else { return isWhole = false }
    let collection = unsafe withUnsafeBytes(of: found.view.collection) { unsafe [UInt8]($0) }
    if unsafe !seen.insert(collection + found.view.key).inserted { doubleCount += 1 }
    let hash = view.hash(unsafe RawSpan(_unsafeBytes: found.view.key), collection: found.view.collection)
    if IndexEntry.hashBits(of: hash) != entry.hashBits { misplacedCount += 1 }
    let generation = found.segment.generation
    segments[generation, default: IndexBuildResult.Live()].recordCount += 1
    segments[generation, default: IndexBuildResult.Live()].byteCount += UInt64(found.view.byteCount)
    let place = found.place
    let state = reader.collections.numbered(found.view.collection)
    guard let state, state.counts(found.sequence) else {
      if reader.isCleared(found) { clearedCount += 1 }
      for piece in place?.pieces ?? [] { clearedExtents.insert(piece.extent.generation) }
      return
    }
    for piece in place?.pieces ?? [] { extents[piece.extent.generation] = piece.extent }
    var keys = collections[state.number] ?? IndexBuildResult.Keys()
    keys.count += 1
    if found.account.expires { keys.expiringCount += 1 }
    keys.extentSlotCount += UInt64(place?.slotCount ?? 0)
    collections[state.number] = keys
  }
}
