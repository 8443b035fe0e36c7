import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// What a window must not be in the way of: damage, bad sectors, files that are cut, and files that are full.
struct WindowHardshipTests {
  private func tail(_ store: SedimentStore) -> UInt64 { store.segments.first { $0.isTail }!.byteOffset }

  @Test func `Salvage finds a segment of which even the header is in the window alone`() throws {
    let window = try WindowFixture()
    try window.set(0..<5)
    try window.store.sync()
    let before = tail(window.store)
    var count = 5
    while tail(window.store) == before {
      try window.set(count..<count + 1)
      count += 1
    }
    try window.set(count..<count + 5)
    count += 5
    try window.store.remove(forKey: "002")
    let disk = window.disk.afterProcessDeath()
    var bytes = disk.contents(of: StoreFixture.path)!
    let start = Int(tail(window.store))
    // Version 0.1.0 stored the header into the window, too.
    let header = start..<start + SegmentHeader.byteCount
    let ring = Int(window.windows[0].byteOffset) + 4096 + start % WindowFixture.byteCount
    bytes.replaceSubrange(ring..<ring + header.count, with: bytes[header])
    bytes.replaceSubrange(header, with: [UInt8](repeating: 0, count: header.count))
    let part = WindowFixture.value(1)
    let damaged = bytes.indices.first { bytes[$0] == part[0] && Array(bytes[$0..<$0 + part.count]) == part }
    bytes[try #require(damaged)] ^= 1
    disk.install(bytes, at: StoreFixture.path)
    #expect(code { _ = try WindowFixture.opened(disk, window.fixture.options) } == .damaged)
    let (_, store) = try SalvageTests.salvage(disk)
    let missing = try (0..<count).filter { try !store.contains(WindowFixture.key($0)) }
    #expect(missing == [1, 2])
  }

  @Test(arguments: [false, true])
  func `What was closed opens without its window, of which no sector can be read`(readOnly: Bool) throws {
    let window = try WindowFixture()
    try window.set(0..<30)
    let run = window.windows[0]
    try window.fixture.close()
    let disk = UnreadableDisk(
      window.disk.afterProcessDeath(), run.byteOffset..<run.byteOffset + run.byteCount)
    var options = window.fixture.options
    options.readOnly = readOnly
    let store = try SedimentStore(
      path: StoreFixture.path, options: options, disk: disk, scheduler: ManualScheduler())
    #expect(store.recovery.wasClosed)
    #expect(try WindowFixture.holds(0..<30, store))
  }

  @Test func `A file that ends before its window is copied`() throws {
    let window = try WindowFixture()
    try window.set(0..<5)
    try window.store.sync()
    let place = window.windows[0].byteOffset
    #expect(window.store.segments.allSatisfy { $0.byteOffset <= place })
    let disk = window.disk.afterProcessDeath()
    let bytes = disk.contents(of: StoreFixture.path)!
    disk.install(Array(bytes[..<Int(place)]), at: StoreFixture.path)
    let store = try WindowFixture.opened(disk, window.fixture.options) { $0.readOnly = true }
    try store.backup(to: "data/copy")
    let copy = try SedimentStore(
      path: "data/copy", options: SedimentOptions(), disk: disk, scheduler: ManualScheduler())
    #expect(try WindowFixture.holds(0..<5, copy))
    try copy.set("value", forKey: "key")
    #expect(try copy.retrieve(forKey: "key", as: String.self) == "value")
  }

  @Test func `A full store that had no room for a window gets one once much was removed`() throws {
    let fixture = try StoreFixture(.windowless, maxByteCount: 128 << 14)
    func windowCount() -> Int { fixture.store.segments.count { $0.kind == .window } }
    let count = try fixture.fill()
    fixture.options.access = .automatic
    try fixture.reopen()
    try fixture.store.remove(forKey: "0")
    fixture.scheduler.runDue()
    #expect(windowCount() == 0)
    for number in 1..<count where number % 5 != 4 {
      try fixture.store.remove(forKey: "\(number)")
      fixture.scheduler.runDue()
    }
    for round in 0..<40 {
      for number in 0..<20 {
        try fixture.store.set(pattern(3_000, number + round), forKey: "\(number)")
        fixture.scheduler.runDue()
      }
    }
    #expect(windowCount() == 1)
  }

  @Test(arguments: [false, true])
  func `A set is refused whose key has a record behind the mapping that cannot be read`(
    isOpenedAgain: Bool
  ) throws {
    let disk = StoppingDisk(
      SimulatedDisk(SimulatedDiskOptions(seed: 1, fileByteCountMax: 64 << 20, violationRule: .record)))
    disk.mappedByteCountMax.store(20 << 14, ordering: .relaxed)
    var options = SedimentOptions(durability: .unsynced, compaction: .off)
    options.useSmallWindow()
    let scheduler = ManualScheduler()
    var store = try SedimentStore(path: "/store", options: options, disk: disk, scheduler: scheduler)
    try store.set("a", forKey: "a")
    scheduler.runDue()
    for number in 0..<100 { try store.set(pattern(6_000, number), forKey: "\(number)") }
    try store.set("old", forKey: "far", durability: .synced)
    for number in 100..<160 { try store.set(pattern(6_000, number), forKey: "\(number)") }
    if isOpenedAgain {
      try store.close()
      store = try SedimentStore(path: "/store", options: options, disk: disk, scheduler: scheduler)
      // The window, which the mapping has, is entered with the first change.
      try store.set("b", forKey: "b")
      scheduler.runDue()
    }
    #expect(store.segments.contains { $0.kind == .window })
    let count = try store.count()
    disk.inner.inject(.error(.inputOutput), only: [.read])
    #expect(throws: SedimentError.self) { try store.set("new", forKey: "far") }
    disk.inner.clearFaults()
    #expect(try store.retrieve(forKey: "far", as: String.self) == "old")
    #expect(try store.count() == count)
    #expect(store.accountFindings(isAlone: false) == [])
    try store.set("new", forKey: "far")
    #expect(try store.remove(forKey: "far"))
    #expect(try store.retrieve(forKey: "far") == nil)
  }
}

/// A disk of which some bytes of each file cannot be read.
private final class UnreadableDisk: ForwardingDisk, @unchecked Sendable {
  private let range: Range<UInt64>

  init(_ inner: SimulatedDisk, _ range: Range<UInt64>) {
    self.range = range
    super.init(inner)
  }

  override func file(_ file: any DiskFile) -> any DiskFile { UnreadableFile(file, range) }
}

private final class UnreadableFile: ForwardingFile, @unchecked Sendable {
  private let range: Range<UInt64>

  init(_ inner: any DiskFile, _ range: Range<UInt64>) {
    self.range = range
    super.init(inner)
  }

  override func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int {
    guard !range.overlaps(offset..<offset + UInt64(buffer.byteCount)) else {
      throw DiskError(.read, path: path, offset: offset, code: .inputOutput)
    }
    return try inner.read(into: &buffer, at: offset)
  }
}
