package import SedimentDisk
internal import SedimentFormat

/// Makes a new file that is a cleanly closed empty store (DESIGN.md 5, "Create").
///
/// The whole file is built and synced under a temporary name in the same directory before it gets its own, so
/// that no crash leaves half a store where one is looked for. What a crash can leave is the temporary file.
package struct FileCreation {
  private let disk: any Disk
  private let path: String
  private let permissions: UInt16
  private let makesDirectories: Bool
  /// The hidden name under which the file is built.
  private let temporary: String

  /// A creation of a file at a path that leads over no link in its last component.
  package init(
    path: String, permissions: UInt16 = 0o600, makesDirectories: Bool = true, on disk: any Disk
  ) {
    self.disk = disk
    self.path = path
    self.permissions = permissions
    self.makesDirectories = makesDirectories
    temporary = Self.temporaryPath(for: path, number: disk.random())
  }

  /// Creates the file; an existing one is left alone and makes it fail with `SedimentError.Code.exists`.
  package func run() throws(SedimentError) {
    try build()
    try name(.keepExisting)
  }

  /// Creates the file in the place of an empty one, which the caller keeps locked.
  ///
  /// `isStillEmpty` is asked at the last moment whether that file still has the path and is empty; if not, nothing is
  /// replaced.
  func run(replacing isStillEmpty: () throws(SedimentError) -> Bool) throws(SedimentError) {
    try build()
    do throws(SedimentError) {
      if try !isStillEmpty() {
        try? disk.remove(temporary)
        return
      }
    } catch {
      try? disk.remove(temporary)
      throw error
    }
    try name(.replaceExisting)
  }

  /// Gives the file that was built its name, durably.
  private func name(_ rule: RenameRule) throws(SedimentError) {
    do throws(DiskError) {
      do throws(DiskError) {
        try disk.rename(temporary, to: path, rule)
      } catch {
        try? disk.remove(temporary)
        throw DiskError(.rename, path: path, code: error.code)
      }
      try disk.secureNames(of: path)
    } catch {
      throw SedimentError(error).ofNewFile(path)
    }
  }

  /// The hidden name beside a path under which its file is built: its own with a point before it and a number behind.
  ///
  /// Of a long name only the beginning is taken, so that the system takes the hidden one wherever it takes the name.
  package static func temporaryPath(for path: String, number: UInt64) -> String {
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    let digits = String(number, radix: 16)
    let padding = String(repeating: "0", count: 16 - digits.count)
    let suffix = ".new-\(padding)\(digits)"
    let name = beginning(of: path[start...], of: max(100, path[start...].utf8.count - suffix.utf8.count - 1))
    return "\(path[..<start]).\(name)\(suffix)"
  }

  /// As many characters of a name as take so many bytes at most.
  private static func beginning(of name: Substring, of byteCountMax: Int) -> Substring {
    var byteCount = 0
    return name.prefix { character in
      byteCount += character.utf8.count
      return byteCount <= byteCountMax
    }
  }

  /// The new file, in directories that are made if they are missing and may be made.
  private func open() throws(DiskError) -> any DiskFile {
    let mode = OpenMode.creating(permissions: permissions)
    do throws(DiskError) {
      return try disk.open(temporary, mode)
    } catch {
      guard error.code == .notFound, makesDirectories else { throw error }
      try disk.createDirectories(of: path)
      return try disk.open(temporary, mode)
    }
  }

  /// Writes the whole file under its temporary name, and syncs it.
  private func build() throws(SedimentError) {
    guard SystemPath.namesFile(path) else { throw .noFileName(path) }
    do throws(DiskError) {
      try write(EmptyStoreImage(disk), to: try open())
    } catch {
      throw SedimentError(error).ofNewFile(path)
    }
  }

  private func write(_ image: EmptyStoreImage, to file: any DiskFile) throws(DiskError) {
    do throws(DiskError) {
      try file.allocate(0..<image.byteCount)
      for (offset, bytes) in image.parts {
        try file.write(unsafe bytes.span.bytes, at: offset)
      }
      try file.sync()
      try file.close()
    } catch {
      try? file.close()
      try? disk.remove(temporary)
      throw error
    }
  }
}

/// The contents of an empty store: a head and one hot segment that holds a checkpoint.
struct EmptyStoreImage {
  /// The pieces to write, by their offsets; everything else is zero.
  let parts: [(offset: UInt64, bytes: [UInt8])]
  let byteCount: UInt64

  /// The generation of the superblock that leads.
  static let leadingGeneration = Generation.first.advanced(by: 1)!
  /// The first segment: one slot behind the head.
  private static let run = SlotRun(first: Limits.headSlotCount, count: 1)!

  init(_ disk: any Disk) {
    let clock = min(disk.wallClock(), Limits.clockMax)
    let segment = SegmentIdentity(run: Self.run, kind: .hot, generation: .first, salt: disk.random())
    let identity = FileIdentity(low: disk.random() | 1, high: disk.random())!
    let header = SegmentHeader(identity: segment, base: .zero, floor: .zero)
    let checkpoint = Self.checkpoint(of: segment, in: identity, clock: clock)
    let offset = segment.recordRange.lowerBound
    let end = UnitOffset(byteOffset: offset.byteOffset + UInt64(checkpoint.count))!
    let first = Superblock(
      copy: .first, generation: .first, identity: identity, state: .closed,
      lineage: Lineage(low: disk.random(), high: disk.random()), session: disk.random(), createdAt: clock,
      segment: segment, checkpoint: offset, watermark: LogPosition(segment.generation, end))
    var second = first
    second.copy = .second
    second.generation = Self.leadingGeneration
    parts = [
      (segment.run.byteRange.lowerBound, header.encode(in: identity)), (offset.byteOffset, checkpoint),
      (first.copy.byteOffset, first.encode()), (second.copy.byteOffset, second.encode()),
    ]
    byteCount = segment.run.byteRange.upperBound
  }

  /// The record of a checkpoint in one part that knows only the segment it stands in.
  private static func checkpoint(
    of segment: SegmentIdentity, in identity: FileIdentity, clock: UInt64
  ) -> [UInt8] {
    var clocks = StoreNumbers.Clocks()
    clocks.highest = clock
    let numbers = StoreNumbers(
      nextGeneration: segment.generation.advanced(by: 1)!, nextCollection: 1, nextDictionary: 1,
      slotCount: segment.run.end, everythingClearedAt: .zero, clocks: clocks, totals: StoreNumbers.Totals())
    let tail = CatalogueEntry.segment(SegmentEntry(tail: segment, base: .zero))
    let value = CheckpointPart(number: 0, of: 1, [.numbers(numbers), tail])!.encode()
    let place = RecordPlace(
      seed: segment.seed(in: identity), base: .zero, offset: segment.recordRange.lowerBound)
    return ControlRecord.record(of: value, sequence: SequenceNumber(1)!, at: place)
  }
}
