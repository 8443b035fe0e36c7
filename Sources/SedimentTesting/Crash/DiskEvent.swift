/// Something that changed a disk, in the order in which it happened; the bytes lie in the journal.
enum DiskEvent: Sendable {
  case create(path: String, file: Int)
  case rename(from: String, to: String, file: Int)
  case remove(path: String, file: Int)
  case syncDirectory(String)
  /// A change of a name in a directory, which is durable as soon as it is there.
  indirect case settled(DiskEvent, directory: String)
  case write(file: Int, offset: Int, bytes: Range<Int>, Landing)
  case store(file: Int, offset: Int, bytes: Range<Int>)
  case allocate(file: Int, blocks: Range<Int>)
  case punch(file: Int, blocks: Range<Int>)
  case resize(file: Int, byteCount: Int)
  case sync(file: Int)
  /// A sync failed, and what was to be written counts as clean although the medium lacks it.
  ///
  /// Blocks that were never written on the medium may then be stranded.
  case dropUnsynced(file: Int, strandsBlocks: Bool)
  /// The cache forgets what it has of stranded blocks.
  case forgetStranded(file: Int)
  /// Bytes changed on the medium by nobody's doing.
  case damage(file: Int, offset: Int, bytes: Range<Int>)
  /// The medium lost the end of a file.
  case cut(file: Int, byteCount: Int)
  /// A file put in place as a whole, durable at once.
  case install(path: String, file: Int, bytes: Range<Int>)

  /// What becomes of a write on its way from the page cache to the medium.
  enum Landing: Hashable, Sendable {
    case whole
    case lost
    /// Only so many of its first bytes arrive.
    case torn(Int)
    /// It arrives at another offset.
    case misdirected(Int)
  }
}

extension DiskEvent {
  /// The event as far as its first bytes were copied; the whole of an event that copies none.
  func prefix(_ byteCount: Int) -> DiskEvent {
    switch self {
    case .write(let file, let offset, let bytes, let landing):
      .write(file: file, offset: offset, bytes: bytes.prefix(byteCount), landing)
    case .store(let file, let offset, let bytes):
      .store(file: file, offset: offset, bytes: bytes.prefix(byteCount))
    default: self
    }
  }
}

extension DiskEvent: CustomStringConvertible {
  var description: String {
    switch self {
    case .create(let path, let file): "create '\(path)' as file \(file)"
    case .rename(let from, let to, let file): "rename file \(file) from '\(from)' to '\(to)'"
    case .remove(let path, let file): "remove '\(path)', file \(file)"
    case .syncDirectory(let directory): "sync the directory '\(directory)'"
    case .settled(let event, _): "\(event), durable at once"
    case .write(let file, let offset, let bytes, .whole):
      "write \(bytes.count) bytes at \(offset) of file \(file)"
    case .write(let file, let offset, let bytes, let landing):
      "write \(bytes.count) bytes at \(offset) of file \(file), \(landing)"
    case .store(let file, let offset, let bytes): "store \(bytes.count) bytes at \(offset) of file \(file)"
    case .allocate(let file, let blocks): "allocate blocks \(blocks) of file \(file)"
    case .punch(let file, let blocks): "punch blocks \(blocks) of file \(file)"
    case .resize(let file, let byteCount): "resize file \(file) to \(byteCount)"
    case .sync(let file): "sync file \(file)"
    case .dropUnsynced(let file, _): "drop what is unsynced of file \(file)"
    case .forgetStranded(let file): "forget the stranded blocks of file \(file)"
    case .damage(let file, let offset, let bytes): "damage \(bytes.count) bytes at \(offset) of file \(file)"
    case .cut(let file, let byteCount): "cut file \(file) to \(byteCount)"
    case .install(let path, let file, _): "install '\(path)' as file \(file)"
    }
  }
}

/// What happened to a disk since a known state, with the bytes that were written.
struct Journal: Sendable {
  /// What the medium held, and what was unsynced, before the first event.
  var base: Medium
  private(set) var events: [DiskEvent] = []
  private(set) var bytes: [UInt8] = []
  /// Whether anything of it is kept.
  let isKept: Bool

  init(base: Medium, isKept: Bool) {
    self.base = base
    self.isKept = isKept
  }

  mutating func append(_ event: DiskEvent) {
    if isKept { events.append(event) }
  }

  /// Keeps a copy of `source`, for the event that is to refer to it.
  mutating func keep(_ source: UnsafeRawBufferPointer) -> Range<Int> {
    guard isKept else { return 0..<0 }
    let start = bytes.count
    unsafe bytes.append(contentsOf: source)
    return start..<bytes.count
  }
}

extension Range<Int> {
  /// The first `count` numbers of the range, or all there are.
  fileprivate func prefix(_ count: Int) -> Range<Int> {
    lowerBound..<Swift.min(upperBound, lowerBound + count)
  }
}
