import SedimentDisk
import SedimentTesting
import Testing

@Suite("Calls that fail, and writes that go astray")
struct FaultTests {
  let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, traits: Self.traits))

  static let traits = FileTraits(allocatesBlocks: true, punchesHoles: true, clones: true, name: "simulated")

  /// Makes every call of the seam that can fail, in a fixed order.
  static func workload(_ disk: SimulatedDisk) throws(DiskError) {
    let file = try disk.open("a", .create)
    try file.allocate(0..<8192)
    try file.write(filled(1, 600), at: 100)
    _ = try file.read(0..<700)
    _ = try file.byteCount()
    _ = try file.dataRange(from: 0)
    _ = try file.lock(0..<1, .exclusive)
    let mapping = try file.reserveMapping(byteCount: 8192)
    try mapping.expose(0..<8192, writable: true)
    mapping.store(filled(2, 64), at: 0)
    try mapping.conceal(0..<4096)
    try file.punchHole(4096..<8192)
    try file.truncate(to: 4096)
    try file.sync()
    try file.clone(to: "b")
    try disk.rename("b", to: "c", .keepExisting)
    try disk.syncDirectory(of: "a")
    try disk.createDirectories(of: "a")
    try disk.remove("c")
    try file.unlock(0..<1)
    try file.close()
  }

  static let operations: [DiskOperation] = [
    .open, .allocate, .write, .read, .byteCount, .findData, .lock, .map, .map, .map, .punchHole,
    .truncate, .sync, .clone, .rename, .syncDirectory, .createDirectories, .remove, .lock, .close,
  ]

  @Test("Every call has an index")
  func callIndices() throws {
    try Self.workload(disk)
    #expect(disk.calls.map(\.operation) == Self.operations)
    #expect(disk.callCount == Self.operations.count)
    #expect(Set(Self.operations) == Set(DiskOperation.allCases))
  }

  @Test(
    "The call of the chosen index fails, and no other",
    arguments: operations.indices, [SystemErrorCode.inputOutput, .noSpace, .quotaExceeded, .interrupted])
  func everyIndex(index: Int, code: SystemErrorCode) {
    disk.inject(.error(code), atCall: index)
    let error = #expect(throws: DiskError.self) { try Self.workload(disk) }
    #expect(error?.operation == Self.operations[index])
    #expect(error?.code == code)
    #expect(disk.callCount == index + 1)
  }

  @Test("An error comes once or for good")
  func onceOrForGood() throws {
    let file = try disk.installed("a", filled(0, 10))
    disk.inject(.error(.inputOutput), atCall: disk.callCount + 1)
    let once = (0..<4).map { _ in failure { () throws(DiskError) in try file.sync() } }
    #expect(once == [nil, .inputOutput, nil, nil])
    disk.injectForGood(.error(.noSpace), fromCall: disk.callCount + 1)
    let forGood = (0..<4).map { _ in failure { () throws(DiskError) in try file.sync() } }
    #expect(forGood == [nil, .noSpace, .noSpace, .noSpace])
    disk.clearFaults()
    #expect(failure { () throws(DiskError) in try file.sync() } == nil)
  }

  @Test("An error can wait for certain operations")
  func chosenOperations() throws {
    let file = try disk.installed("a", filled(0, 10))
    disk.inject(.error(.inputOutput), only: [.write])
    try file.sync()
    #expect(failure { () throws(DiskError) in try file.write([1], at: 0) } == .inputOutput)
    #expect(disk.contents(of: "a") == filled(0, 10))
    try file.write([1], at: 0)
  }

  @Test("A call may do its work and fail nevertheless")
  func errorAfterwards() throws {
    disk.install([1], at: "a")
    disk.inject(.errorAfterwards(.inputOutput))
    #expect(
      failure { () throws(DiskError) in try disk.rename("a", to: "b", .keepExisting) } == .inputOutput)
    #expect(disk.paths == ["b"])
    disk.inject(.errorAfterwards(.inputOutput))
    #expect(failure { () throws(DiskError) in _ = try disk.open("c", .create) } == .inputOutput)
    #expect(disk.paths == ["b", "c"])
  }

  @Test("A close that fails has closed the file and released its locks")
  func failedClose() throws {
    let file = try disk.installed("a", [])
    #expect(try file.lock(0..<1, .exclusive))
    disk.inject(.error(.inputOutput))
    #expect(failure { () throws(DiskError) in try file.close() } == .inputOutput)
    #expect(failure { () throws(DiskError) in try file.sync() } == .badDescriptor)
    #expect(failure { () throws(DiskError) in try file.close() } == nil)
    #expect(try disk.open("a", .readWrite).lock(0..<1, .exclusive))
  }

  @Test("A short write leaves its first bytes and fails")
  func shortWrite() throws {
    let file = try disk.installed("a", filled(0, 20))
    disk.inject(.shortWrite(byteCount: 4, .noSpace))
    #expect(failure { () throws(DiskError) in try file.write(filled(1, 10), at: 5) } == .noSpace)
    #expect(disk.contents(of: "a") == filled(0, 5) + filled(1, 4) + filled(0, 11))
  }

  @Test("A short read returns its first bytes, and only a read is one")
  func shortRead() throws {
    let file = try disk.installed("a", filled(0, 20))
    disk.inject(.shortRead(byteCount: 4))
    try file.sync()
    #expect(try file.read(5..<15) == filled(0, 4))
    #expect(try file.read(5..<15) == filled(0, 10))
    disk.injectForGood(.shortRead(byteCount: 12))
    #expect(try file.read(0..<20) == filled(0, 12))
    #expect(try file.read(5..<15) == filled(0, 10))
  }

  @Test("A lost write can be read back, but no sync brings it to the medium")
  func lostWrite() throws {
    let file = try disk.installed("a", filled(0, 1024))
    disk.inject(.lostWrite)
    try file.write(filled(1, 512), at: 0)
    try file.sync()
    #expect(try file.read(0..<512) == filled(1, 512))
    #expect(disk.afterPowerLoss(.everything).contents(of: "a") == filled(0, 1024))
    #expect(disk.crashState.units.isEmpty)
    // A later write of the same sector takes the lost bytes along, as the cache holds them.
    try file.write([2], at: 0)
    try file.sync()
    #expect(disk.afterPowerLoss(.nothing).contents(of: "a") == [2] + filled(1, 511) + filled(0, 512))
  }

  @Test("A torn write reaches the medium with its first bytes alone")
  func tornWrite() throws {
    let file = try disk.installed("a", filled(0, 2048))
    disk.inject(.tornWrite(byteCount: 700))
    try file.write(filled(1, 1024), at: 512)
    try file.sync()
    #expect(disk.contents(of: "a") == filled(0, 512) + filled(1, 1024) + filled(0, 512))
    #expect(
      disk.afterPowerLoss(.everything).contents(of: "a") == filled(0, 512) + filled(1, 700) + filled(0, 836))
  }

  @Test("A misdirected write leaves its place as it was, and overwrites another")
  func misdirectedWrite() throws {
    let file = try disk.installed("a", filled(0, 2048))
    disk.inject(.misdirectedWrite(to: 1024))
    try file.write(filled(1, 512), at: 0)
    #expect(disk.contents(of: "a") == filled(1, 512) + filled(0, 1536))
    let landed = filled(0, 1024) + filled(1, 512) + filled(0, 512)
    #expect(disk.crashState.images(of: "a") == [filled(0, 2048), landed])
    try file.sync()
    #expect(disk.crashState.images(of: "a") == [landed])
  }

  @Test("A failed sync that kept its data makes it durable at the second try")
  func keptSync() throws {
    let file = try disk.installed("a", filled(0, 512))
    try file.write(filled(1, 512), at: 0)
    disk.inject(.error(.inputOutput), only: [.sync])
    #expect(failure { () throws(DiskError) in try file.sync() } == .inputOutput)
    #expect(disk.crashState.images(of: "a") == [filled(0, 512), filled(1, 512)])
    try file.sync()
    #expect(disk.crashState.images(of: "a") == [filled(1, 512)])
  }

  @Test("A failed sync that dropped its data makes the second one lie")
  func droppedSync() throws {
    let file = try disk.installed("a", filled(0, 1024))
    try file.write(filled(1, 1024), at: 0)
    disk.inject(.droppedSync(.inputOutput))
    #expect(failure { () throws(DiskError) in try file.sync() } == .inputOutput)
    try file.sync()
    #expect(disk.contents(of: "a") == filled(1, 1024))
    #expect(disk.crashState.images(of: "a") == [filled(0, 1024)])
    try file.write([2], at: 600)
    try file.sync()
    #expect(
      disk.crashState.images(of: "a") == [filled(0, 512) + filled(1, 88) + [2] + filled(1, 423)])
  }

  @Test("A failed sync strands blocks that were only reserved, until the cache forgets them")
  func strandedBlocks() throws {
    let file = try disk.open("a", .create)
    try disk.syncDirectory(of: "a")
    try file.allocate(0..<8192)
    try file.write(filled(1, 10), at: 0)
    try file.sync()
    try file.write(filled(2, 8192), at: 0)
    disk.inject(.droppedSync(.inputOutput), only: [.sync])
    #expect(failure { () throws(DiskError) in try file.sync() } == .inputOutput)
    let next = disk.afterProcessDeath()
    let again = try next.open("a", .readWrite)
    try again.write(filled(3, 8192), at: 0)
    try again.sync()
    #expect(next.contents(of: "a") == filled(3, 8192))
    #expect(next.crashState.images(of: "a") == [filled(3, 4096) + filled(0, 4096)])
    again.forgetUnwritten()
    #expect(next.contents(of: "a") == filled(3, 4096) + filled(0, 4096))
    try again.write(filled(4, 1), at: 8191)
    try again.sync()
    #expect(next.crashState.images(of: "a") == [filled(3, 4096) + filled(0, 4095) + filled(4, 1)])
  }

  @Test("What the process sees of a lost write outlives the process, and not the machine")
  func lostWriteAfterDeath() throws {
    let file = try disk.installed("a", filled(0, 512))
    disk.inject(.lostWrite)
    try file.write(filled(1, 512), at: 0)
    let next = disk.afterProcessDeath()
    #expect(next.contents(of: "a") == filled(1, 512))
    #expect(next.afterPowerLoss(.everything).contents(of: "a") == filled(0, 512))
  }

  @Test("Bad sectors fail the reads that touch them")
  func unreadable() throws {
    let file = try disk.installed("a", filled(3, 2048))
    disk.makeUnreadable(512..<1024, in: "a")
    #expect(failure { () throws(DiskError) in _ = try file.read(0..<513) } == .inputOutput)
    #expect(failure { () throws(DiskError) in _ = try file.read(1023..<1100) } == .inputOutput)
    #expect(try file.read(0..<512) == filled(3, 512))
    #expect(try file.read(1024..<2048) == filled(3, 1024))
    disk.makeReadable("a")
    #expect(try file.read(0..<2048) == filled(3, 2048))
  }
}
