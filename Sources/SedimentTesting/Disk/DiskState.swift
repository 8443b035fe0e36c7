internal import SedimentDisk

/// Everything about a simulated disk that changes; it lives inside the disk's lock.
struct DiskState: Sendable {
  var options: SimulatedDiskOptions
  var generator: SeededGenerator
  var clock: SimulatedClock
  var names: [String: Int]
  var inodes: [Int: Inode] = [:]
  var openFiles: [Int: OpenFile] = [:]
  var mappings: [Int: OpenMapping] = [:]
  var usedBlockCount = 0
  /// What a file system that copies on write keeps until the next sync.
  var copies = CopiedBlocks()
  /// The bytes that calls have read and written so far, of all files.
  var readByteCount: UInt64 = 0
  var writtenByteCount: UInt64 = 0
  /// The most bytes that one call had memory for to read into.
  var readByteCountAsked = 0
  var calls: [SimulatedCall] = []
  var faults = FaultTable()
  var violations: [Violation] = []
  var journal: Journal
  /// How far the journal was followed when the present crash state was last asked for.
  private var walked: (point: Int, medium: Medium)?
  private var lastNumber = 0

  /// Starts a machine on a medium; what is pending there is in the page cache.
  init(medium: Medium, setup: ImageSetup) {
    options = setup.options
    clock = setup.clock
    generator = SeededGenerator(seed: setup.options.seed)
    journal = Journal(base: medium, isKept: setup.options.keepsHistory)
    names = medium.liveNames
    lastNumber = medium.files.keys.max() ?? 0
    for (path, number) in names {
      guard var file = medium.files[number] else { continue }
      guard let cache = try? PageCache(byteCount: options.fileByteCountMax) else {
        preconditionFailure("no address space is left for a simulated file")
      }
      var inode = Inode(path: path, cache: cache)
      file.sync()
      cache.populate(byteCount: file.bytes.count)
      cache.write(file.bytes, at: 0)
      for sector in file.sectors.keys {
        cache.write(file.cachedContent(of: sector), at: sector * Geometry.sectorByteCount)
      }
      inode.byteCount = file.byteCount
      inode.blocks = file.blocks
      inode.mayHaveStranded = file.stranded.count > 0
      usedBlockCount += inode.blocks.count
      inodes[number] = inode
    }
  }

  /// What an image takes over.
  var setup: ImageSetup {
    ImageSetup(options: options, clock: clock)
  }

  /// A number that no file, opening or mapping of this disk had before.
  mutating func nextNumber() -> Int {
    lastNumber += 1
    return lastNumber
  }

  /// The medium as it is now, in time that grows with what happened since the last time.
  mutating func walkedMedium() -> Medium {
    var (point, medium) = walked ?? (0, journal.base)
    walked = nil
    for event in journal.events[point...] {
      medium.apply(event, bytes: journal.bytes, granule: options.storeGranuleByteCount)
    }
    point = journal.events.count
    walked = (point, medium)
    return medium
  }

  /// Lets the journal begin now.
  mutating func trimJournal() {
    journal = Journal(base: walkedMedium(), isKept: options.keepsHistory)
    walked = nil
  }

  /// How many more blocks the disk has.
  var freeBlockCount: Int {
    guard let capacity = options.capacity else { return .max }
    return max(0, Int(clamping: capacity) / Geometry.blockByteCount - usedBlockCount - copies.keptCount)
  }

  /// Counts a call, and does it with what a fault makes of it.
  mutating func perform<Result>(
    _ operation: DiskOperation, _ path: String, offset: UInt64? = nil,
    _ body: (inout DiskState, FaultEffect?) throws(CallFailure) -> Result
  ) throws(DiskError) -> Result {
    let effect = faults.effect(on: operation, call: calls.count)
    calls.append(SimulatedCall(operation: operation, path: path))
    do throws(CallFailure) {
      if case .error(let code) = effect { throw CallFailure(code) }
      let result = try body(&self, effect)
      if case .errorAfterwards(let code) = effect { throw CallFailure(code) }
      return result
    } catch {
      throw DiskError(
        operation, path: path, offset: offset.map { $0 + UInt64(error.doneByteCount) }, code: error.code)
    }
  }

  /// The number of an open file's inode.
  func inodeNumber(ofOpenFile handle: Int, writing: Bool = false) throws(CallFailure) -> Int {
    guard let file = openFiles[handle], !writing || file.isWritable else { throw CallFailure(.badDescriptor) }
    return file.inode
  }

  /// The inode behind a number that an open file, a mapping or a name holds.
  subscript(inode number: Int) -> Inode {
    get {
      guard let inode = inodes[number] else { preconditionFailure("a held file has an inode") }
      return inode
    }
    _modify {
      guard inodes[number] != nil else { preconditionFailure("a held file has an inode") }
      yield &inodes[number]!
    }
  }

  /// Lets a holder or the name go, and the space with the last of them.
  mutating func release(_ number: Int, _ change: (inout Inode) -> Void) {
    change(&self[inode: number])
    let inode = self[inode: number]
    guard !inode.hasName, inode.holderCount == 0 else { return }
    usedBlockCount -= inode.blocks.count
    inodes[number] = nil
    copies.forget(number)
  }
}

/// Why a call fails, before it is known as which one.
struct CallFailure: Error {
  let code: SystemErrorCode
  /// How many bytes were written before.
  let doneByteCount: Int

  init(_ code: SystemErrorCode, after doneByteCount: Int = 0) {
    self.code = code
    self.doneByteCount = doneByteCount
  }
}
