import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// What becomes of records that are in the window: they are there at once, whatever happens (DESIGN.md 5.1).
struct WindowTests {
  @Test func `A store gets a window once its file has so many slots, and both superblocks say so`() throws {
    let fixture = try StoreFixture()
    fixture.options.windowedSlotCount = 12
    try fixture.reopen()
    func windows() -> [SedimentSegment] { fixture.store.segments.filter { $0.kind == .window } }
    try fixture.store.set("value", forKey: "key")
    fixture.scheduler.runDue()
    #expect(windows().isEmpty)
    for number in 0..<40 { try fixture.store.set(pattern(5_000, number), forKey: "\(number)") }
    while fixture.scheduler.runFirst() {}
    #expect(windows().map(\.byteCount) == [4 << 14])
    for copy in Superblock.Copy.allCases {
      let block = try Superblock.decode(
        unsafe fixture.contents.span.bytes.extracting(
          Int(copy.byteOffset)..<Int(copy.byteOffset) + Superblock.byteCount), copy: copy)
      #expect(block.features.neededToRead == Features.window)
    }
    try fixture.reopen()
    #expect(windows().count == 1)
  }

  @Test(arguments: [SedimentOptions.Access.windowless, .unmapped])
  func `Where nothing is stored through a mapping there is no window`(access: SedimentOptions.Access) throws {
    let window = try WindowFixture(access)
    #expect(window.windows.isEmpty)
    #expect(try window.writeCount { try window.set(0..<10) } == 10)
  }

  @Test func `Where blocks are not reserved there is no window`() throws {
    let traits = FileTraits(allocatesBlocks: false, punchesHoles: true, clones: true, name: "other")
    let window = try WindowFixture(on: SimulatedDisk(SimulatedDiskOptions(seed: 1, traits: traits)))
    #expect(window.windows.isEmpty)
    #expect(try window.writeCount { try window.set(0..<10) } == 10)
  }

  @Test func `What is stored is written once the window is full, many records by one call`() throws {
    let window = try WindowFixture()
    #expect(window.windows.count == 1)
    try window.store.sync()
    // The log goes on somewhere in the ring's first lap.
    #expect(try window.writeCount { try window.set(0..<20) } == 0)
    let count = try window.writeCount { try window.set(0..<960) }
    // Ten laps of 96 records: one call for what is in the window and one for the record that goes across.
    #expect((10...33).contains(count), "\(count) calls")
  }

  /// The sync that first writes a block waits for more than the block.
  @Test func `Synced sets in a row find blocks that one of them wrote, and a single sync writes none ahead`()
    throws
  {
    let window = try WindowFixture()
    func synced() throws { try window.store.set("value", forKey: "synced", durability: .synced) }
    // The log goes on in another segment, where nothing was synced.
    try window.set(0..<150)
    #expect(try window.writeCount { try window.store.sync() } == 2, "what was in the window, and a mark")
    let counts = try (0..<5).map { _ in try window.writeCount(synced) }
    #expect(counts == [3, 2, 2, 2, 2], "a record and its mark, and zeros behind the first")
    // What was stored meanwhile goes first, by one call, over zeros as over any bytes.
    try window.set(150..<155)
    let count = try window.writeCount(synced)
    #expect(count == 3)
    let store = try window.afterDeath()
    #expect(try store.retrieve(forKey: "synced", as: String.self) == "value")
    for number in 0..<155 {
      #expect(try store.retrieve(forKey: WindowFixture.key(number)) == WindowFixture.value(number))
    }
  }

  @Test func `Large values that nobody syncs find no zeros ahead`() throws {
    let window = try WindowFixture()
    // In a long file records hold them themselves.
    for number in 0..<400 { try window.store.set(pattern(40_000, number), forKey: "\(number)") }
    window.fixture.scheduler.runDue()
    let segmentCount = window.store.segments.count
    let count = try window.writeCount {
      for number in 400..<500 { try window.store.set(pattern(13_000, number), forKey: "\(number)") }
    }
    let newCount = window.store.segments.count - segmentCount
    #expect(newCount > 0)
    #expect(count == 100 + 2 * newCount, "each record, and each segment's header and the seal before it")
  }

  @Test(arguments: accesses)
  func `After a death all is there, however the file is opened`(access: SedimentOptions.Access) throws {
    let window = try WindowFixture()
    try window.set(0..<150)
    for readOnly in [true, false] {
      let store = try window.afterDeath { ($0.access, $0.readOnly) = (access, readOnly) }
      #expect(try WindowFixture.holds(0..<150, store))
      #expect(!store.recovery.wasClosed)
    }
  }

  /// Sizes of which some fill the ring exactly, and lengths of the history on both sides of each lap.
  @Test(arguments: [64, 104, 128, 136, 1_024, 3_000])
  func `After a death behind any record all is there, wherever the ring ends`(recordByteCount: Int) throws {
    let window = try WindowFixture()
    let lap = WindowFixture.byteCount / recordByteCount
    var done = 0
    for count in [1, lap / 2, lap - 1, lap, lap + 1, 2 * lap, 2 * lap + 1].sorted() where count > done {
      try window.set(done..<count, recordByteCount: recordByteCount)
      done = count
      let store = try window.afterDeath()
      #expect(try WindowFixture.holds(0..<done, recordByteCount: recordByteCount, store), "\(done) records")
    }
  }

  @Test func `Deaths in the recovery of a death lose nothing`() throws {
    let window = try WindowFixture()
    try window.set(0..<50)
    let dead = window.disk.afterProcessDeath()
    let count = try callCount { _ = try WindowFixture.opened(dead, window.fixture.options) }
    for call in 0..<count {
      let disk = window.disk.afterProcessDeath()
      disk.injectForGood(.error(.inputOutput), fromCall: call)
      _ = try? WindowFixture.opened(disk, window.fixture.options)
      disk.clearFaults()
      let store = try WindowFixture.opened(disk.afterProcessDeath(), window.fixture.options)
      #expect(try WindowFixture.holds(0..<50, store), "call \(call)")
    }
    func callCount(_ body: () throws -> Void) rethrows -> Int {
      let before = dead.callCount
      try body()
      return dead.callCount - before
    }
  }

  @Test func `What was synced does not need the window`() throws {
    let window = try WindowFixture()
    try window.set(0..<30)
    try window.store.sync()
    try window.set(30..<40)
    let image = window.disk.afterPowerLoss(.nothing)
    let store = try WindowFixture.opened(image, window.fixture.options)
    #expect(try WindowFixture.holds(0..<30, store))
  }

  @Test func `A close leaves nothing in the window that counts`() throws {
    let window = try WindowFixture()
    try window.set(0..<30)
    try window.fixture.close()
    let image = window.disk.afterPowerLoss(.nothing)
    let store = try WindowFixture.opened(image, window.fixture.options)
    #expect(store.recovery.wasClosed)
    #expect(try WindowFixture.holds(0..<30, store))
  }

  @Test func `A ring of an opening before gives nothing to the next one`() throws {
    let window = try WindowFixture()
    try window.set(0..<30)
    try window.fixture.reopen()
    try window.set(30..<31)
    let store = try WindowFixture.opened(window.disk.afterPowerLoss(.nothing), window.fixture.options)
    #expect(try WindowFixture.holds(0..<30, store))
  }

  @Test func `Recovery writes what the window has to its place, and it is not asked again`() throws {
    let window = try WindowFixture()
    try window.set(0..<30)
    let disk = window.disk.afterProcessDeath()
    _ = try WindowFixture.opened(disk, window.fixture.options) { $0.access = .unmapped }
    let ring = Window(SlotRun(first: UInt32(window.windows[0].byteOffset >> 14), count: 1)!).ring
    var bytes = disk.contents(of: StoreFixture.path)!
    bytes.replaceSubrange(
      Int(ring.lowerBound)..<Int(ring.upperBound), with: repeatElement(0xff, count: ring.count))
    disk.install(bytes, at: StoreFixture.path)
    let store = try WindowFixture.opened(disk.afterProcessDeath(), window.fixture.options)
    #expect(try WindowFixture.holds(0..<30, store))
  }

  @Test func `What is damaged in the ring ends the log there, and nothing before it is lost`() throws {
    let window = try WindowFixture()
    try window.set(0..<10)
    try window.store.sync()
    try window.set(10..<20)
    let disk = window.disk.afterProcessDeath()
    let place = try #require(find(WindowFixture.value(15), in: disk.contents(of: StoreFixture.path)!))
    var bytes = disk.contents(of: StoreFixture.path)!
    bytes[place] ^= 1
    disk.install(bytes, at: StoreFixture.path)
    let store = try WindowFixture.opened(disk, window.fixture.options)
    #expect(try WindowFixture.holds(0..<15, store))
  }

  private func find(_ part: [UInt8], in bytes: [UInt8]) -> Int? {
    bytes.indices.dropLast(part.count - 1).first {
      bytes[$0] == part[0] && Array(bytes[$0..<$0 + part.count]) == part
    }
  }
}
