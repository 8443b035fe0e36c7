internal import SedimentDisk

/// A file as the running system sees it.
struct Inode: Sendable {
  /// The latest name, for messages.
  var path: String
  var cache: PageCache
  var byteCount = 0
  var blocks = BlockSet()
  var hasName = true
  /// Open files and mappings; the space is given back when there is neither name nor holder.
  var holderCount = 0
  var locks = LockTable()
  /// Whether a sync failed so that blocks may be stranded.
  var mayHaveStranded = false
  /// What the next sync fails with, since the medium has refused a write; nil if it did not.
  var untoldFailure: SystemErrorCode?
  /// Ranges that cannot be read.
  var badRanges: [Range<UInt64>] = []

  init(path: String, cache: PageCache) {
    self.path = path
    self.cache = cache
  }

  /// Whether all of these blocks have space, as far as the file reaches.
  func areAllocated(_ range: Range<Int>) -> Bool {
    blocks.contains(range.clamped(to: 0..<Geometry.blockCount(for: byteCount)))
  }
}

/// An open file.
struct OpenFile: Sendable {
  var inode: Int
  var path: String
  var isWritable: Bool
}

/// A mapping that was not released yet.
struct OpenMapping: Sendable {
  var inode: Int
  /// The opening it was made through, without which nothing more can be exposed.
  var handle: Int
  var path: String
  var isWritable: Bool
  /// Whether its file was closed and then opened again: it shows bytes that nobody may read any more.
  var isForsaken = false
  /// What each page is exposed for, as far as any was.
  private var pages: [Access] = []

  enum Access: UInt8, Sendable {
    case none
    case read
    case write
  }

  init(inode: Int, handle: Int, path: String, isWritable: Bool) {
    self.inode = inode
    self.handle = handle
    self.path = path
    self.isWritable = isWritable
  }

  mutating func setAccess(_ access: Access, of range: Range<Int>) {
    if range.upperBound > pages.count {
      pages.append(contentsOf: repeatElement(.none, count: range.upperBound - pages.count))
    }
    for page in range { pages[page] = access }
  }

  var isExposed: Bool { pages.contains { $0 != .none } }

  func allows(_ access: Access, of range: Range<Int>) -> Bool {
    range.upperBound <= pages.count && range.allSatisfy { pages[$0].rawValue >= access.rawValue }
  }
}
