internal import SedimentDisk

/// A file as the running system sees it.
struct Inode: Sendable {
  /// The latest name, for messages.
  var path: String
  let cache: PageCache
  var byteCount = 0
  var blocks = BlockSet()
  var hasName = true
  /// Open files and mappings; the space is given back when there is neither name nor holder.
  var holderCount = 0
  var locks = LockTable()
  /// Ranges that cannot be read.
  var badRanges: [Range<UInt64>] = []

  init(path: String, cache: PageCache) {
    self.path = path
    self.cache = cache
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

  func allows(_ access: Access, of range: Range<Int>) -> Bool {
    range.upperBound <= pages.count && range.allSatisfy { pages[$0].rawValue >= access.rawValue }
  }
}
