import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// What reading a forged file costs, in bytes that are read and written for each byte that the file has on the disk.
struct HostileCostTests {
  /// The calls that read a whole file, each of which can be stopped.
  enum Survey: CaseIterable {
    case verify, salvage

    func run(
      _ disk: SimulatedDisk, _ path: String = LogBuilder.path,
      _ progress: @escaping (SedimentProgress) -> SedimentIteration = { _ in .continue }
    ) throws {
      switch self {
      case .verify: _ = try SedimentStore.verify(path: path, on: disk, progress: progress)
      case .salvage:
        defer { try? disk.remove(SalvageTests.saved) }
        _ = try SedimentStore.salvage(
          from: path, to: SalvageTests.saved, on: disk, keepsUncertain: true, progress: progress)
      }
    }
  }

  /// How often a survey may read what the file has on the disk, and how much it may read between two questions
  /// whether to stop.
  static let readFactor: UInt64 = 40
  static let readByteCountBetweenAsks: UInt64 = 3 << 20

  /// Runs a survey of a forged file: it ends, with a report or because the file is damaged, within the stated cost,
  /// and whenever the caller says stop it stops.
  static func measure(_ survey: Survey, _ disk: SimulatedDisk, _ comment: Comment) throws {
    let byteCount = try #require(disk.allocatedByteCount(of: LogBuilder.path))
    let start = disk.readByteCount
    var (last, longest, askCount) = (start, UInt64(0), 0)
    do {
      try survey.run(disk) { _ in
        longest = max(longest, disk.readByteCount - last)
        (last, askCount) = (disk.readByteCount, askCount + 1)
        return .continue
      }
    } catch let error as SedimentError {
      #expect(error.code == .damaged, comment)
    }
    let cost = disk.readByteCount - start
    #expect(cost <= readFactor * byteCount, "\(comment), \(survey): \(cost) bytes read of \(byteCount)")
    #expect(longest <= readByteCountBetweenAsks, "\(comment), \(survey)")
    let stopCount = TestEffort.of(8, long: 20)
    for stop in Set((0..<stopCount).map { $0 * max(askCount - 2, 0) / max(stopCount - 1, 1) }) {
      var count = 0
      let found = code {
        try survey.run(disk) { _ in
          count += 1
          return count > stop ? .stop : .continue
        }
      }
      #expect(found == .cancelled && count == stop + 1, "\(comment), \(survey), stopped at \(stop): \(count)")
      #expect(disk.paths == [LogBuilder.path], comment)
    }
  }

  /// A file of one page a slot, with a sound header in each slot from the first on that claims all slots to the end.
  private static func layeredHeaders(
    in log: LogBuilder, from first: UInt32, to slotCount: UInt32, _ kind: SegmentKind
  ) throws {
    for slot in first..<slotCount {
      let segment = SegmentIdentity(
        run: SlotRun(first: slot, count: slotCount - slot)!, kind: kind,
        generation: Generation(UInt64(1_000 + slot))!, salt: UInt64(slot))
      try log.writeHeader(SegmentHeader(identity: segment, base: .zero, floor: .zero))
      let start = UInt64(slot) * 16_384
      try log.file.punchHole(start + 4_096..<start + 16_384)
    }
    try log.file.sync()
  }

  @Test(arguments: [SegmentKind.hot, .survivors], Survey.allCases)
  func `Headers that each claim all slots to the end are searched once`(
    kind: SegmentKind, survey: Survey
  ) throws {
    // Each header would read all slots behind it again: a hundred times what the file has on the disk.
    let slotCount = 300
    // As orphans of a sound store, and with nothing else.
    for isSound in [true, false] {
      let log = try LogBuilder(fileSlotCount: slotCount)
      try Self.layeredHeaders(in: log, from: 4, to: UInt32(slotCount), kind)
      if !isSound {
        for copy in Superblock.Copy.allCases {
          try log.write([UInt8](repeating: 0, count: Superblock.byteCount), at: copy.byteOffset)
        }
      }
      try Self.measure(survey, log.durable(), "sound: \(isSound)")
    }
  }

  /// A file in which as many keys name one large value.
  private static func sharedExtent(keyCount: Int) throws -> SimulatedDisk {
    var log = try LogBuilder(slotCount: 2, fileSlotCount: 64)
    try log.open()
    let place = try log.extents([(slot: 8, bytes: pattern(600_000))])
    for number in 0..<keyCount {
      try log.append(.putLarge, key: Array("key \(number)".utf8), value: place.encode())
    }
    try log.sync()
    return log.durable()
  }

  @Test func `A large value that many keys name is saved for one of them`() throws {
    let disk = try Self.sharedExtent(keyCount: 100)
    let byteCount = try #require(disk.allocatedByteCount(of: LogBuilder.path))
    let before = disk.writtenByteCount
    let report = try SedimentStore.salvage(from: LogBuilder.path, to: SalvageTests.saved, on: disk)
    #expect(report.keyCount == 1 && report.lostValueCount == 99)
    #expect(disk.writtenByteCount - before <= 2 * byteCount)
    try disk.remove(SalvageTests.saved)
    #expect(try !SedimentStore.verify(path: LogBuilder.path, on: disk).isIntact)
    for survey in Survey.allCases { try Self.measure(survey, disk, "one extent") }
  }

  @Test func `Large values in holes are no more than a file can have`() throws {
    var log = try LogBuilder(slotCount: 2, fileSlotCount: 1_400)
    try log.open()
    for number in 0..<20 {
      let slot = UInt32(8 + number * 66)
      try log.putLarge("key \(number)", pieces: [(slot: slot, bytes: [UInt8](repeating: 0, count: 1 << 20))])
      let start = UInt64(slot) * 16_384
      try log.file.punchHole(start + 4_096..<start + 1 << 20)
    }
    try log.sync()
    // Everything behind the extents is a hole, too.
    try log.file.punchHole(1_340 * 16_384..<1_400 * 16_384)
    try log.file.punchHole(4 * 16_384..<8 * 16_384)
    try log.file.sync()
    for survey in Survey.allCases { try Self.measure(survey, log.durable(), "holes") }
  }

  @Test func `A header that claims a window of any length gets no more read than a window can have`() throws {
    var log = try LogBuilder(slotCount: 1_000, fileSlotCount: 16)
    try log.open()
    for number in 0..<3 { try log.put("key \(number)", "value") }
    try log.sync()
    // The log breaks off, so salvage looks for what a window has of it.
    try log.write([0xff], at: UInt64(log.records[1].byteRange.lowerBound))
    let window = log.newSegment(.window, slot: 1_010, count: 1_000)
    try log.writeHeader(SegmentHeader(identity: window, base: .zero, floor: .zero))
    try log.file.truncate(to: 2_010 * 16_384)
    try log.file.sync()
    for survey in Survey.allCases { try Self.measure(survey, log.durable(), "a window") }
  }

  @Test func `A record that claims all of a hole is read once, and the caller is asked while it is`() throws {
    let claimed: UInt64 = 12 << 20
    var log = try LogBuilder(slotCount: 1_000, fileSlotCount: 1_002)
    try log.open()
    try log.put("key", "value")
    try log.sync()
    // A put without a key whose value goes on for 12 MiB.
    try log.write(
      [9, 9, 9, 9, 1, 0, 0, 192, 0, 0, UInt8(log.sequence + 1), 0, 0, 0, 0, 0], at: log.offset.byteOffset)
    try log.file.punchHole(3 * 16_384..<1_002 * 16_384)
    try log.file.sync()
    for survey in Survey.allCases {
      let disk = log.durable()
      var (last, longest) = (disk.readByteCount, UInt64(0))
      try survey.run(disk) { _ in
        longest = max(longest, disk.readByteCount - last)
        last = disk.readByteCount
        return .continue
      }
      #expect(longest <= Self.readByteCountBetweenAsks, "\(survey)")
    }
    let disk = log.durable()
    let start = disk.readByteCount
    try SedimentStore(path: LogBuilder.path, options: SedimentOptions(readOnly: true), disk: disk).close()
    #expect(disk.readByteCount - start <= claimed + 4 << 20)
  }
}
