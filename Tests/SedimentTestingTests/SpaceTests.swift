import SedimentDisk
import SedimentTesting
import Testing

@Suite("A disk that is full")
struct SpaceTests {
  let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, capacity: 16384))

  @Test("Allocating takes blocks, all of them or none")
  func allocate() throws {
    let file = try disk.open("a", .create)
    try file.allocate(1..<8193)
    #expect(disk.usedByteCount == 12288)
    #expect(failure { () throws(DiskError) in try file.allocate(0..<20480) } == .noSpace)
    #expect(disk.usedByteCount == 12288)
    #expect(disk.contents(of: "a") == filled(0, 8193))
    try file.allocate(0..<16384)
    #expect(disk.usedByteCount == 16384)
  }

  @Test("A write that does not fit leaves what did, and allocated space can still be written")
  func write() throws {
    let file = try disk.open("a", .create)
    try file.allocate(0..<4096)
    #expect(failure { () throws(DiskError) in try file.write(filled(1, 20000), at: 100) } == .noSpace)
    #expect(disk.contents(of: "a") == filled(0, 100) + filled(1, 16284))
    let other = try disk.open("b", .create)
    #expect(failure { () throws(DiskError) in try other.write([1], at: 0) } == .noSpace)
    #expect(disk.contents(of: "b") == [])
    try file.write(filled(2, 16384), at: 0)
  }

  @Test("Punching, shortening and removing give space back")
  func giveBack() throws {
    let file = try disk.open("a", .create)
    try file.write(filled(1, 16384), at: 0)
    try file.punchHole(4096..<8192)
    #expect(disk.usedByteCount == 12288)
    try file.truncate(to: 12289)
    #expect(disk.usedByteCount == 12288)
    try file.truncate(to: 12288)
    #expect(disk.usedByteCount == 8192)
    try disk.remove("a")
    #expect(disk.usedByteCount == 8192)
    try file.close()
    #expect(disk.usedByteCount == 0)
  }

  @Test("A mapping holds the space of a removed file")
  func mappingHolds() throws {
    let file = try disk.open("a", .create)
    try file.allocate(0..<4096)
    do {
      let mapping = try SimulatedDisk.writable(file, 4096)
      try disk.remove("a")
      try file.close()
      mapping.store([1], at: 0)
      #expect(disk.usedByteCount == 4096)
    }
    #expect(disk.usedByteCount == 0)
  }

  @Test("The disk can grow and shrink")
  func capacity() throws {
    let file = try disk.open("a", .create)
    disk.capacity = 0
    #expect(failure { () throws(DiskError) in try file.write([1], at: 0) } == .noSpace)
    disk.capacity = nil
    try file.write(filled(1, 1 << 20), at: 0)
    disk.capacity = 4096
    try file.write(filled(2, 1 << 20), at: 0)
    #expect(failure { () throws(DiskError) in try file.write([1], at: 1 << 20) } == .noSpace)
  }

  @Test("An image has the blocks that persisted, and no others")
  func imageSpace() throws {
    let file = try disk.open("a", .create)
    try disk.syncDirectory(of: "a")
    try file.allocate(0..<16384)
    try file.sync()
    try file.punchHole(0..<8192)
    let full = disk.afterPowerLoss(.nothing)
    #expect(full.usedByteCount == 16384)
    #expect(full.capacity == 16384)
    let punched = disk.afterPowerLoss(.everything)
    #expect(punched.usedByteCount == 8192)
    try punched.open("a", .readWrite).write(filled(1, 8192), at: 0)
    #expect(punched.usedByteCount == 16384)
  }

  @Test("A file tells what it takes of the disk")
  func allocatedBytes() throws {
    let file = try disk.open("a", .create)
    #expect(try file.allocatedByteCount() == 0)
    try file.write(filled(1, 100), at: 8192)
    #expect(try file.allocatedByteCount() == 4096)
    try file.allocate(0..<16384)
    #expect(try file.allocatedByteCount() == 16384)
    try file.punchHole(4096..<8192)
    #expect(try file.allocatedByteCount() == 12288)
    try file.truncate(to: 10000)
    #expect(try file.allocatedByteCount() == 8192)
    try file.close()
    #expect(failure { () throws(DiskError) in _ = try file.allocatedByteCount() } == .badDescriptor)
  }

  @Test("Data is found behind holes, and none behind the last of it")
  func dataRanges() throws {
    let file = try disk.open("a", .create)
    #expect(try file.dataRange(from: 0) == nil)
    try file.write(filled(1, 100), at: 8192)
    try file.write(filled(1, 5000), at: 20480)
    try file.truncate(to: 40960)
    #expect(try file.dataRange(from: 0) == 8192..<12288)
    #expect(try file.dataRange(from: 8200) == 8200..<12288)
    #expect(try file.dataRange(from: 12288) == 20480..<28672)
    #expect(try file.dataRange(from: 28672) == nil)
    #expect(try file.dataRange(from: 40960) == nil)
    #expect(try file.dataRange(from: .max) == nil)
    try file.truncate(to: 25000)
    #expect(try file.dataRange(from: 20480) == 20480..<25000)
    try file.close()
    #expect(failure { () throws(DiskError) in _ = try file.dataRange(from: 0) } == .badDescriptor)
  }

  @Test("Where blocks are not reserved, allocating only lengthens the file")
  func withoutAllocation() throws {
    let traits = FileTraits(allocatesBlocks: false, punchesHoles: false, clones: false, name: "plain")
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, capacity: 4096, traits: traits))
    let file = try disk.open("a", .create)
    #expect(file.traits == traits)
    try file.allocate(0..<8192)
    #expect(disk.usedByteCount == 0)
    #expect(try file.byteCount() == 8192)
    #expect(failure { () throws(DiskError) in try file.write(filled(1, 8192), at: 0) } == .noSpace)
    #expect(failure { () throws(DiskError) in try file.punchHole(0..<4096) } == .notSupported)
    #expect(failure { () throws(DiskError) in try file.clone(to: "b") } == .notSupported)
  }
}
