internal import SedimentDisk

/// An open file of a simulated disk.
final class SimulatedFile: DiskFile {
  let path: String
  let traits: FileTraits
  let identifier: FileIdentifier
  private let disk: SimulatedDisk
  private let handle: Int

  init(_ disk: SimulatedDisk, path: String, handle: Int, inode: Int, traits: FileTraits) {
    self.disk = disk
    self.path = path
    self.handle = handle
    self.traits = traits
    identifier = FileIdentifier(device: disk.device, number: UInt64(inode))
  }

  deinit {
    disk.withState { $0.forget(openFile: handle) }
  }

  func byteCount() throws(DiskError) -> UInt64 {
    try disk.withState { (state) throws(DiskError) in try state.byteCount(handle, path) }
  }

  func allocatedByteCount() throws(DiskError) -> UInt64 {
    try disk.withState { (state) throws(DiskError) in try state.allocatedByteCount(handle, path) }
  }

  func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int {
    try unsafe buffer.withUnsafeMutableBytes { (target) throws(DiskError) in
      try disk.withState { (state) throws(DiskError) in
        try unsafe state.read(handle, path, into: target, at: offset)
      }
    }
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) {
    try unsafe bytes.withUnsafeBytes { (source) throws(DiskError) in
      try disk.withState { (state) throws(DiskError) in
        try unsafe state.write(handle, path, source, at: offset)
      }
    }
  }

  func allocate(_ range: Range<UInt64>) throws(DiskError) {
    try disk.withState { (state) throws(DiskError) in try state.allocate(handle, path, range) }
  }

  func punchHole(_ range: Range<UInt64>) throws(DiskError) {
    try disk.withState { (state) throws(DiskError) in try state.punchHole(handle, path, range) }
  }

  func dataRange(from offset: UInt64) throws(DiskError) -> Range<UInt64>? {
    try disk.withState { (state) throws(DiskError) in try state.dataRange(handle, path, from: offset) }
  }

  func truncate(to byteCount: UInt64) throws(DiskError) {
    try disk.withState { (state) throws(DiskError) in try state.truncate(handle, path, to: byteCount) }
  }

  func sync() throws(DiskError) {
    try disk.withState { (state) throws(DiskError) in try state.sync(handle, path) }
  }

  func forgetUnwritten() {
    disk.withState { $0.forgetUnwritten(handle) }
  }

  func reserveMapping(byteCount: UInt64) throws(DiskError) -> FileMapping {
    let page = UInt64(disk.pageByteCount)
    let (number, cache) = try disk.withState { (state) throws(DiskError) in
      try state.reserveMapping(handle, path)
    }
    let mapping = SimulatedMapping(disk, path: path, number: number, cache: cache)
    // Whole pages, as a system reserves them; addresses beyond the largest file are never exposed.
    let rounded = (min(max(byteCount, 1), UInt64(Int64.max) - page) + page - 1) / page * page
    return unsafe FileMapping(
      base: cache.base, byteCount: rounded, pageByteCount: disk.pageByteCount, backing: mapping,
      observer: mapping)
  }

  func clone(to path: String) throws(DiskError) {
    try disk.withState { (state) throws(DiskError) in try state.clone(handle, self.path, to: path) }
  }

  func lock(_ range: Range<UInt64>, _ mode: LockMode) throws(DiskError) -> Bool {
    try disk.withState { (state) throws(DiskError) in try state.lock(handle, path, range, mode) }
  }

  func unlock(_ range: Range<UInt64>) throws(DiskError) {
    try disk.withState { (state) throws(DiskError) in try state.unlock(handle, path, range) }
  }

  func close() throws(DiskError) {
    try disk.withState { (state) throws(DiskError) in try state.close(handle, path) }
  }
}

/// The simulated page tables of one mapping, which see each store before it is made.
final class SimulatedMapping: MappingBacking, StoreObserver {
  private let disk: SimulatedDisk
  private let path: String
  private let number: Int
  /// Keeps the bytes at their addresses.
  private let cache: PageCache

  init(_ disk: SimulatedDisk, path: String, number: Int, cache: PageCache) {
    self.disk = disk
    self.path = path
    self.number = number
    self.cache = cache
  }

  func expose(
    _ base: UnsafeMutableRawPointer, _ range: Range<UInt64>, writable: Bool
  ) throws(DiskError) {
    try change(range, to: writable ? .write : .read)
  }

  func conceal(_ base: UnsafeMutableRawPointer, _ range: Range<UInt64>) throws(DiskError) {
    try change(range, to: OpenMapping.Access.none)
  }

  func release(_ base: UnsafeMutableRawPointer, byteCount: UInt64) {
    disk.withState { $0.release(mapping: number) }
  }

  func store(_ bytes: RawSpan, at offset: UInt64) {
    unsafe bytes.withUnsafeBytes { source in
      disk.withState { unsafe $0.store(number, source, at: offset) }
    }
  }

  private func change(_ range: Range<UInt64>, to access: OpenMapping.Access) throws(DiskError) {
    try disk.withState { (state) throws(DiskError) in
      try state.expose(number, path, range, as: access)
    }
  }
}
