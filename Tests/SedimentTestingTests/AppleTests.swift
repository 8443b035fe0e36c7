import SedimentDisk
import SedimentTesting
import Testing

/// What only Apple devices do: pages, APFS, two kinds of sync, and locks that end a suspended app.
@Suite("Apple devices")
struct AppleTests {
  private let page = UInt64(Geometry.blockByteCount)

  @Test("A plain sync survives the death of the process and not a power failure; a full one survives both")
  func syncs() throws {
    for isFull in [true, false] {
      var options = SimulatedDiskOptions.apple(seed: 1)
      options.syncsEmptyDriveCache = isFull
      let disk = SimulatedDisk(options)
      let file = try disk.installed("a", filled(1, 4096))
      try file.write(filled(2, 4096), at: 0)
      try file.sync()
      #expect(disk.afterProcessDeath().contents(of: "a") == filled(2, 4096))
      #expect(disk.afterPowerLoss(.everything).contents(of: "a") == filled(2, 4096))
      #expect(disk.afterPowerLoss(.nothing).contents(of: "a") == filled(isFull ? 2 : 1, 4096))
      #expect((disk.crashState.images(of: "a").count == 1) == isFull)
    }
  }

  @Test(
    "A block that was synced is never written into: it takes another one, which comes back with the next sync"
  )
  func copies() throws {
    let disk = SimulatedDisk(.apple(seed: 1, capacity: 8 * page))
    let file = try disk.installed("a", filled(1, 6 * 4096))
    try file.write(filled(2, 2 * 4096), at: 0)
    // No block is free, but these two were written since the last sync.
    try file.write(filled(3, 2 * 4096), at: 0)
    #expect(failure { () throws(DiskError) in try file.write(filled(4, 4096), at: 2 * page) } == .noSpace)
    #expect(failure { () throws(DiskError) in try file.write([4], at: 5 * page + 7) } == .noSpace)
    #expect(try file.read(0..<2 * page) == filled(3, 2 * 4096))
    #expect(try file.read(2 * page..<6 * page) == filled(1, 4 * 4096))
    try file.sync()
    try file.write(filled(4, 2 * 4096), at: 2 * page)
    #expect(try file.read(2 * page..<4 * page) == filled(4, 2 * 4096))
    #expect(disk.usedByteCount == 6 * page)
  }

  @Test("What a hole or a cut gives back is free after the next sync, unless it was new")
  func freed() throws {
    let disk = SimulatedDisk(.apple(seed: 1, capacity: 4 * page))
    let file = try disk.installed("a", filled(1, 4 * 4096))
    let other = try disk.open("b", .create)
    try file.punchHole(0..<page)
    try file.truncate(to: 3 * page)
    #expect(failure { () throws(DiskError) in try other.write([1], at: 0) } == .noSpace)
    try file.sync()
    try other.write(filled(5, 4096), at: 0)
    try other.truncate(to: 0)
    try other.write(filled(6, 2 * 4096), at: 0)
    #expect(failure { () throws(DiskError) in try other.write([1], at: 2 * page) } == .noSpace)
  }

  @Test("Elsewhere a block that is there is written into")
  func inPlace() throws {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, capacity: 4 * page))
    let file = try disk.installed("a", filled(1, 4 * 4096))
    try file.write(filled(2, 4 * 4096), at: 0)
    #expect(try file.read(0..<4 * page) == filled(2, 4 * 4096))
  }

  @Test("A store through a mapping has no block of its own")
  func stores() throws {
    var options = SimulatedDiskOptions.apple(seed: 1)
    options.violationRule = .record
    let disk = SimulatedDisk(options)
    let file = try disk.installed("a", filled(1, 16_384))
    try SimulatedDisk.writable(file, 16_384).store([2], at: 0)
    #expect(disk.violations.map(\.kind) == [.storeNotAllocated])
  }

  @Test("Locks are seen as long as somebody has them")
  func locks() throws {
    let disk = SimulatedDisk(.apple(seed: 1))
    let file = try disk.installed("a", [1])
    #expect(disk.lockedPaths.isEmpty)
    #expect(try file.lock(0..<1, .exclusive))
    #expect(disk.lockedPaths == ["a"])
    try file.unlock(0..<1)
    #expect(disk.lockedPaths.isEmpty)
    #expect(try file.lock(0..<1, .shared))
    try file.close()
    #expect(disk.lockedPaths.isEmpty)
  }
}
