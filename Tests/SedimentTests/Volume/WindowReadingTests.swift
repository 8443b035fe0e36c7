import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Every way of reading finds what is in the window alone.
struct WindowReadingTests {
  @Test func `Each way of reading finds what is in the window`() throws {
    let window = try WindowFixture()
    try window.store.sync()
    try window.set(0..<5)
    try window.store.set(
      "soon", forKey: "expiring", expiry: .at(milliseconds: window.disk.wallClock() + 1_000))
    let store = window.store
    #expect(try store.retrieve(forKey: "003") == WindowFixture.value(3))
    #expect(try store.withValue(forKey: "003") { $0.byteCount } == WindowFixture.value(3).count)
    #expect(try store.contains("004"))
    #expect(try !store.contains("005"))
    #expect(try store.expiry(forKey: "expiring") == .at(milliseconds: window.disk.wallClock() + 1_000))
    #expect(try store.retrieve(forKeys: ["000", "nobody", "first"]).map { $0?.count } == [109, nil, 5])
    #expect(try store.keys(withPrefix: "00").count == 5)
    #expect(try store.compareAndSet(forKey: "000", expected: WindowFixture.value(0), new: Array("next".utf8)))
    try store.remove(forKey: "001")
    #expect(try store.retrieve(forKey: "000", as: String.self) == "next")
    #expect(try store.retrieve(forKey: "001") == nil)
    window.disk.advanceClocks(by: .seconds(2))
    #expect(try !store.contains("expiring"))
  }

  @Test func `What is read in place stays as it is while the ring goes round`() throws {
    let window = try WindowFixture()
    try window.set(0..<3)
    try window.store.withValue(forKey: "002") { value in
      try window.set(3..<400)
      let isSame = unsafe value.withUnsafeBytes { unsafe Array($0) == WindowFixture.value(2) }
      #expect(isSame)
    }
    #expect(try WindowFixture.holds(0..<400, window.store))
  }

  @Test func `What is read often goes to its place soon`() throws {
    let window = try WindowFixture()
    try window.store.sync()
    try window.set(0..<5)
    window.fixture.scheduler.runDue()
    let count = try window.writeCount {
      for _ in 0..<64 { _ = try window.store.retrieve(forKey: "003") as [UInt8]? }
      window.fixture.scheduler.runDue()
    }
    #expect(count == 1)
    let values = try (0..<64).map { _ in try window.store.retrieve(forKey: "003") as [UInt8]? }
    #expect(values.allSatisfy { $0 == WindowFixture.value(3) })
  }

  @Test func `Compaction, backups and verification see what is in the window`() throws {
    let window = try WindowFixture()
    for _ in 0..<4 { try window.set(0..<100) }
    try window.store.compact()
    #expect(try WindowFixture.holds(0..<100, window.store))
    try window.set(100..<120)
    try window.store.backup(to: "data/copy")
    let copy = try SedimentStore(
      path: "data/copy", options: SedimentOptions(readOnly: true), disk: window.disk,
      scheduler: ManualScheduler())
    #expect(try WindowFixture.holds(0..<120, copy))
    let report = try SedimentStore.verify(
      path: StoreFixture.path, on: window.disk.afterProcessDeath())
    #expect(report.findings.filter(\.kind.isDamage).isEmpty)
  }

  @Test func `A backup of a dead process' file has what was in the window`() throws {
    let window = try WindowFixture()
    try window.set(0..<20)
    let disk = window.disk.afterProcessDeath()
    let store = try WindowFixture.opened(disk, window.fixture.options) { $0.readOnly = true }
    try store.backup(to: "data/copy")
    let copy = try SedimentStore(
      path: "data/copy", options: SedimentOptions(readOnly: true), disk: disk, scheduler: ManualScheduler())
    #expect(try WindowFixture.holds(0..<20, copy))
  }

  @Test func `A backup that shares blocks has what was in the window, and sets go on`() throws {
    let traits = FileTraits(allocatesBlocks: true, punchesHoles: true, clones: true, name: "xfs")
    let window = try WindowFixture(on: SimulatedDisk(SimulatedDiskOptions(seed: 1, traits: traits)))
    #expect(window.windows.count == 1)
    try window.set(0..<20)
    try window.store.backup(to: "data/copy")
    try window.set(20..<40)
    let copy = try SedimentStore(
      path: "data/copy", options: SedimentOptions(readOnly: true), disk: window.disk,
      scheduler: ManualScheduler())
    #expect(try WindowFixture.holds(0..<20, copy))
    #expect(try WindowFixture.holds(0..<40, try window.afterDeath()))
  }

  @Test func `Salvage finds what is in the window behind damage`() throws {
    let window = try WindowFixture()
    try window.set(0..<5)
    try window.store.sync()
    try window.set(5..<10)
    let disk = window.disk.afterProcessDeath()
    var bytes = disk.contents(of: StoreFixture.path)!
    let inspection = try FileInspection.inspect(path: StoreFixture.path, on: disk)
    let records = inspection.segments.filter { $0.header.identity.kind == .hot }.last!.records
    let damaged = records.first { $0.header.kind == .put && $0.header.valueRange.count == 109 }!
    bytes[Int(damaged.offset.byteOffset) + 40] ^= 1
    disk.install(bytes, at: StoreFixture.path)
    #expect(code { _ = try WindowFixture.opened(disk, window.fixture.options) } == .damaged)
    let (_, store) = try SalvageTests.salvage(disk)
    for number in 1..<10 {
      let found: [UInt8]? = try store.retrieve(forKey: WindowFixture.key(number))
      #expect(found == WindowFixture.value(number), "\(number)")
    }
  }

  @Test func `A shorter file has its window before its end`() throws {
    let fixture = try StoreFixture()
    fixture.options.windowedSlotCount = 40
    try fixture.reopen()
    for number in 0..<200 { try fixture.store.set(pattern(5_000, number), forKey: "\(number)") }
    while fixture.scheduler.runFirst() {}
    let before = try #require(fixture.store.segments.first { $0.kind == .window })
    #expect(before.byteOffset > 30 << 14)
    try fixture.store.removeEverything()
    try fixture.store.compact()
    #expect(fixture.store.statistics.fileByteCount < before.byteOffset)
    try fixture.store.set("value", forKey: "key")
    #expect(try fixture.store.retrieve(forKey: "key", as: String.self) == "value")
  }

  @Test func `Where there are no blocks for the window, records are written one by one`() throws {
    let window = try WindowFixture()
    try window.fixture.close()
    let reference = window.disk.afterProcessDeath()
    try WindowFixture.opened(reference, window.fixture.options).set("value", forKey: "key")
    // What the log needs comes first.
    let call = try #require(reference.calls.lastIndex { $0.operation == .allocate })
    let disk = window.disk.afterProcessDeath()
    disk.inject(.error(.noSpace), atCall: call)
    let store = try WindowFixture.opened(disk, window.fixture.options)
    try store.set("value", forKey: "key")
    let before = disk.callCount
    try store.set("another", forKey: "key")
    #expect(disk.calls[before...].map(\.operation) == [.write])
    #expect(try store.retrieve(forKey: "key", as: String.self) == "another")
  }
}
