package import SedimentDisk
internal import SedimentFormat

/// An open file of a store, whose failures are errors of the store.
///
/// What a window has of the log can be laid over the places where it belongs (DESIGN.md 7, step 4): reading finds it
/// there, and everything else goes to the file as it is.
///
/// Unchecked: patches and the meter are set while one thread reads the log, and nobody else has the file.
package final class StoreFile: @unchecked Sendable {
  /// The file itself.
  let file: any DiskFile
  /// Each where it begins, in the order in which the log goes through them.
  private var patches: [(offset: UInt64, bytes: [UInt8])] = []
  /// Asked by every read whether the call that surveys the file is to stop; nil while nobody can stop it.
  var meter: ProgressMeter?

  package init(_ file: any DiskFile) {
    self.file = file
  }

  package var path: String { file.path }
  var identifier: FileIdentifier { file.identifier }

  var traits: FileTraits {
    var traits = file.traits
    // A copy that shares the blocks would be one of the file alone.
    if isPatched { traits.clones = false }
    return traits
  }

  // MARK: Patches

  /// Whether anything is laid over the file.
  var isPatched: Bool { !patches.isEmpty }

  /// Lays bytes over a place before the end of the file.
  func lay(_ bytes: [UInt8], over offset: UInt64) {
    patches.append((offset, bytes))
  }

  /// The file with its patches for other threads than the one that may stop the survey.
  var unmetered: StoreFile {
    let other = StoreFile(file)
    other.patches = patches
    return other
  }

  private func patch(_ buffer: inout MutableRawSpan, _ found: Range<UInt64>) {
    for patch in patches {
      let common = (patch.offset..<patch.offset + UInt64(patch.bytes.count)).clamped(to: found)
      for place in common {
        buffer.storeBytes(
          of: patch.bytes[Int(place - patch.offset)], toByteOffset: Int(place - found.lowerBound),
          as: UInt8.self)
      }
    }
  }

  // MARK: Reading

  package func byteCount() throws(SedimentError) -> UInt64 {
    try onDisk { () throws(DiskError) in try file.byteCount() }
  }

  func allocatedByteCount() throws(SedimentError) -> UInt64 {
    try onDisk { () throws(DiskError) in try file.allocatedByteCount() }
  }

  /// Fills `buffer` from `offset` on and returns how many bytes there were: fewer only where the file ends.
  func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(SedimentError) -> Int {
    let count = try unsafe buffer.withUnsafeMutableBytes { (buffer) throws(SedimentError) in
      var count = 0
      while count < buffer.count, let start = buffer.baseAddress {
        let wanted = min(buffer.count - count, Self.readByteCountMax)
        if let meter { try meter.work(UInt64(wanted)) }
        // What is wanted lies in the buffer, as was counted.
        var piece = unsafe MutableRawSpan(_unsafeStart: start + count, byteCount: wanted)
        let found = try onDisk { () throws(DiskError) in
          try file.read(into: &piece, at: offset + UInt64(count))
        }
        count += found
        if found < wanted { break }
      }
      return count
    }
    if isPatched { patch(&buffer, offset..<offset + UInt64(count)) }
    return count
  }

  /// The most that one call reads: the caller of a survey is asked before each whether to stop.
  private static let readByteCountMax = 1 << 20

  /// Tells the system in which order the file will be read.
  func expectReads(_ order: ReadOrder) {
    file.expectReads(order)
  }

  /// Reads into a range of an array, and says how many bytes there were.
  func read(
    into bytes: inout [UInt8], _ range: Range<Int>, at offset: UInt64
  ) throws(SedimentError) -> Int {
    precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "a read beyond the buffer")
    var elements = bytes.mutableSpan
    var all = unsafe elements.mutableBytes
    return try unsafe all.withUnsafeMutableBytes { (buffer) throws(SedimentError) in
      guard let start = buffer.baseAddress else { return 0 }
      // The range lies in the array, as was checked.
      var span = unsafe MutableRawSpan(_unsafeStart: start + range.lowerBound, byteCount: range.count)
      return try read(into: &span, at: offset)
    }
  }

  /// The bytes at an offset; fewer than `count` only where the file ends.
  func bytes(at offset: UInt64, count: Int) throws(SedimentError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let found = try read(into: &bytes, 0..<count, at: offset)
    bytes.removeLast(count - found)
    return bytes
  }

  /// Passes on the bytes at an offset, which are in no array: fewer than `count` only where the file ends.
  func withBytes<Result>(
    at offset: UInt64, count: Int, _ body: (RawSpan) throws(SedimentError) -> Result
  ) throws(SedimentError) -> Result {
    try unsafe withUnsafeTemporaryAllocation(byteCount: count, alignment: 8) {
      (buffer) throws(SedimentError) in
      var span = unsafe MutableRawSpan(_unsafeBytes: buffer)
      let found = try read(into: &span, at: offset)
      return try body(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: buffer[..<found])))
    }
  }

  /// Who opened the file last for writing; nil if that cannot be told.
  func ownerNote() -> OwnerNote? {
    guard let bytes = try? bytes(at: OwnerNote.byteOffset, count: OwnerNote.byteCount) else { return nil }
    return try? OwnerNote.decode(unsafe bytes.span.bytes)
  }

  /// The first range at or behind `offset` that may hold anything but zeros; nil if there is none up to the end.
  private func dataRange(from offset: UInt64) throws(SedimentError) -> Range<UInt64>? {
    let found = try onDisk { () throws(DiskError) in try file.dataRange(from: offset) }
    let others = patches.filter { $0.offset + UInt64($0.bytes.count) > offset }
    guard let next = others.map({ max($0.offset, offset) }).min() else { return found }
    if let found, found.lowerBound <= next { return found }
    let first = others.first { max($0.offset, offset) == next }!
    return next..<first.offset + UInt64(first.bytes.count)
  }

  /// The next bytes before `limit` that are no hole, whole units of them; nil if there are none.
  func data(from position: UInt64, limit: UInt64) throws(SedimentError) -> Range<UInt64>? {
    guard let range = try dataRange(from: position), range.lowerBound < limit else { return nil }
    let start = max(position, range.lowerBound & ~UInt64(Limits.unitByteCount - 1))
    return start..<max(start, min(range.upperBound, limit))
  }

  /// Like `data(from:limit:)` on a disk that need not tell holes: if it cannot, everything is data.
  func readableRange(from position: UInt64, limit: UInt64) -> Range<UInt64>? {
    do throws(SedimentError) {
      return try data(from: position, limit: limit)
    } catch {
      return position..<limit
    }
  }

  /// The bytes of a range that are in no hole, as far as the disk can tell.
  func dataByteCount(in range: Range<UInt64>) -> UInt64 {
    var (count, position) = (UInt64(0), range.lowerBound)
    while position < range.upperBound,
      let data = readableRange(from: position, limit: range.upperBound), !data.isEmpty
    {
      count += data.upperBound - data.lowerBound
      position = data.upperBound
    }
    return count
  }

  func reserveMapping(byteCount: UInt64) throws(SedimentError) -> FileMapping {
    try onDisk { () throws(DiskError) in try file.reserveMapping(byteCount: byteCount) }
  }

  // MARK: Writing

  func write(_ bytes: RawSpan, at offset: UInt64) throws(SedimentError) {
    try onDisk { () throws(DiskError) in try file.write(bytes, at: offset) }
  }

  /// Whether the disk refused the first byte of a write at an offset for want of space, so that the place is as it was.
  func isRefusal(_ error: SedimentError, at offset: UInt64) -> Bool {
    error.code == .outOfSpace && error.offset == offset && traits.refusesWholly
  }

  func write(_ bytes: [UInt8], at offset: UInt64) throws(SedimentError) {
    try write(unsafe bytes.span.bytes, at: offset)
  }

  /// Writes a header to where its segment begins.
  func write(_ header: SegmentHeader, of identity: FileIdentity) throws(SedimentError) {
    try write(header.encode(in: identity), at: header.identity.run.byteRange.lowerBound)
  }

  func allocate(_ range: Range<UInt64>) throws(SedimentError) {
    try onDisk { () throws(DiskError) in try file.allocate(range) }
  }

  func punchHole(_ range: Range<UInt64>) throws(SedimentError) {
    try onDisk { () throws(DiskError) in try file.punchHole(range) }
  }

  func truncate(to byteCount: UInt64) throws(SedimentError) {
    try onDisk { () throws(DiskError) in try file.truncate(to: byteCount) }
  }

  /// See `DiskFile.forgetUnwritten`.
  func forgetUnwritten() { file.forgetUnwritten() }

  func sync() throws(SedimentError) {
    try onDisk { () throws(DiskError) in try file.sync() }
  }

  /// Syncs the file for those who open it: whatever an error says, space is not what is missing.
  func syncForOpening() throws(SedimentError) {
    do throws(SedimentError) {
      try sync()
    } catch {
      throw SedimentError(
        .inputOutput, path: error.path, offset: error.offset, systemError: error.systemError?.cause,
        message:
          "The medium may lack what was written last. Close the file, look after the disk and open it again.")
    }
  }

  // MARK: The whole file

  func clone(to path: String) throws(SedimentError) {
    try onDisk { () throws(DiskError) in try file.clone(to: path) }
  }

  func lock(_ range: Range<UInt64>, _ mode: LockMode) throws(SedimentError) -> Bool {
    try onDisk { () throws(DiskError) in try file.lock(range, mode) }
  }

  package func close() throws(SedimentError) {
    try onDisk { () throws(DiskError) in try file.close() }
  }
}

extension Disk {
  /// Returns the path of a store's file itself, whatever links lead there.
  ///
  /// Links are followed once, before the file is opened: temporary names, renaming and the sync of the directory are then
  /// those of the file, and no link that is put there later is followed.
  package func storePath(_ path: String) throws(SedimentError) -> String {
    guard SystemPath.isWhole(path) else { throw .zeroInPath(path) }
    return try onDisk { () throws(DiskError) in try target(of: path) }
  }

  /// Opens the file of a store.
  package func openFile(_ path: String, _ mode: OpenMode) throws(SedimentError) -> StoreFile {
    StoreFile(try onDisk { () throws(DiskError) in try open(path, mode) })
  }
}

/// Makes calls of a disk, and tells what fails as an error of the store.
func onDisk<Result>(_ body: () throws(DiskError) -> Result) throws(SedimentError) -> Result {
  do throws(DiskError) {
    return try body()
  } catch {
    throw SedimentError(error)
  }
}

extension SedimentError {
  /// The error for a file whose sound parts contradict each other, or that lacks what was known to be on it.
  static func damaged(_ reason: String, path: String, offset: UInt64) -> SedimentError {
    SedimentError(
      .damaged, path: path, offset: offset,
      message: "\(reason.capitalizedFirst). Keep the file as it is; restore a backup, or salvage it.")
  }

  /// The error for a number of the file that cannot rise any more.
  static func exhausted(_ what: String, path: String) -> SedimentError {
    SedimentError(
      .exhausted, path: path,
      message: "The file's \(what) are used up. Salvage it into a new file, which counts from the beginning.")
  }
}
