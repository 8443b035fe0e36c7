/// One file on the medium: what is settled there for good, and what may or may not have reached it since.
///
/// Invariants: `bytes` is never longer than `byteCount`, and what it lacks is zero; `blocks` end with the file;
/// moments grow in the order in which things happened.
struct MediumFile: Sendable {
  /// The latest name, for messages.
  var path: String

  var bytes: [UInt8] = []
  var byteCount = 0
  var blocks = BlockSet()
  /// The blocks that were written on the medium since they are there.
  var written = BlockSet()
  /// Blocks not written there although a sync failed that should have: nothing that is written to them reaches the medium
  /// until the cache forgets them.
  var stranded = BlockSet()

  /// The lengths the file had since, oldest first.
  var sizes: [SizeChange] = []
  var allocations: [BlockChange] = []
  var holes: [BlockChange] = []
  var sectors: [Int: PendingSector] = [:]
  var contents = SectorContents()

  struct SizeChange: Sendable {
    var moment: Int
    var byteCount: Int
    var shrinks: Bool
  }

  struct BlockChange: Sendable {
    var moment: Int
    var blocks: Range<Int>
  }

  init(path: String) {
    self.path = path
  }

  init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
    byteCount = bytes.count
    blocks.insert(0..<Geometry.blockCount(for: bytes.count))
    written = blocks
  }

  /// The length as the running process sees it.
  var liveByteCount: Int {
    sizes.last?.byteCount ?? byteCount
  }

  mutating func resize(to newByteCount: Int, at moment: Int) {
    let old = liveByteCount
    guard newByteCount != old else { return }
    stranded.removeAll(from: Geometry.blockCount(for: newByteCount))
    sizes.append(SizeChange(moment: moment, byteCount: newByteCount, shrinks: newByteCount < old))
  }

  mutating func allocate(_ range: Range<Int>, at moment: Int) {
    guard !range.isEmpty else { return }
    allocations.append(BlockChange(moment: moment, blocks: range))
  }

  mutating func punch(_ range: Range<Int>, at moment: Int) {
    guard !range.isEmpty else { return }
    holes.append(BlockChange(moment: moment, blocks: range))
    stranded.remove(range)
  }

  /// The settled contents of a sector.
  func settledContent(of sector: Int) -> [UInt8] {
    let range = Geometry.bytes(ofSector: sector).clamped(to: 0..<bytes.count)
    var content = [UInt8](bytes[range])
    content.fill(to: Geometry.sectorByteCount)
    return content
  }
}

/// What a sector may hold besides its settled contents.
struct PendingSector: Sendable {
  /// What the page cache holds, as an index into `SectorContents`, and since when.
  ///
  /// Later holes and truncations are not applied to it yet.
  var cached: Int
  var cachedMoment: Int
  /// What the medium may hold, oldest first; empty where the cache and the medium fell apart.
  var versions: [Version] = []

  struct Version: Sendable {
    var content: Int
    var moment: Int
    /// When the page was next unlocked: a call fills all that it writes of a page before any of it is written
    /// back, while a store locks nothing.
    var pageMoment: Int
    /// The bytes of the sector that the medium writes in one go, and might tear; empty for a store.
    var written: Range<Int>
  }
}

/// Contents of sectors, end to end.
struct SectorContents: Sendable {
  private(set) var bytes: [UInt8] = []

  mutating func append(_ content: [UInt8]) -> Int {
    assert(content.count == Geometry.sectorByteCount)
    bytes.append(contentsOf: content)
    return bytes.count / Geometry.sectorByteCount - 1
  }

  subscript(index: Int) -> ArraySlice<UInt8> {
    bytes[Geometry.bytes(ofSector: index)]
  }

  mutating func patch(_ index: Int, at offset: Int, with slice: ArraySlice<UInt8>) {
    bytes.overwrite(at: index * Geometry.sectorByteCount + offset, with: slice)
  }
}
