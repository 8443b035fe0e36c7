import SedimentDisk
import SedimentTesting
import Testing

@Suite("Clocks that jump")
struct ClockTests {
  let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, wallClock: 5_000))

  @Test("Clocks stand still, and advance together")
  func advance() {
    let start = disk.monotonicClock()
    #expect(disk.wallClock() == 5_000)
    disk.advanceClocks(by: .microseconds(600))
    disk.advanceClocks(by: .microseconds(600))
    #expect(disk.wallClock() == 5_001)
    #expect(disk.monotonicClock() == start + 1_200_000)
    disk.advanceClocks(by: .seconds(3))
    #expect(disk.wallClock() == 8_001)
  }

  @Test("The wall clock jumps both ways, and the monotonic one does not notice")
  func jump() {
    let start = disk.monotonicClock()
    disk.setWallClock(to: 4_000_000_000_000)
    #expect(disk.wallClock() == 4_000_000_000_000)
    disk.setWallClock(to: 10)
    #expect(disk.wallClock() == 10)
    #expect(disk.monotonicClock() == start)
    disk.setWallClock(to: .max)
    disk.advanceClocks(by: .seconds(1))
    #expect(disk.wallClock() == .max)
  }

  @Test("A reboot starts the monotonic clock anew, a new process does not")
  func reboot() {
    let start = disk.monotonicClock()
    disk.advanceClocks(by: .seconds(60))
    #expect(disk.afterPowerLoss(.nothing).monotonicClock() == start)
    #expect(disk.afterPowerLoss(.nothing).wallClock() == 65_000)
    #expect(disk.afterProcessDeath().monotonicClock() == start + 60_000_000_000)
  }
}

@Suite("Bits that rot")
struct DamageTests {
  let disk = SimulatedDisk(seed: 1)

  /// What readers see, which the medium holds as well.
  func contents() throws -> [UInt8] {
    let contents = try #require(disk.contents(of: "a"))
    #expect(disk.afterPowerLoss(.nothing).contents(of: "a") == contents)
    #expect(disk.afterPowerLoss(.nothing).usedByteCount == disk.usedByteCount)
    return contents
  }

  @Test("A bit flips, and back")
  func flip() throws {
    disk.install(filled(0xF0, 600), at: "a")
    disk.flipBit(0, ofByte: 599, in: "a")
    #expect(try contents() == filled(0xF0, 599) + [0xF1])
    disk.flipBit(0, ofByte: 599, in: "a")
    #expect(try contents() == filled(0xF0, 600))
  }

  @Test("A sector turns to zeros, as far as the file reaches")
  func zero() throws {
    disk.install(filled(1, 1100), at: "a")
    disk.zeroSector(1, in: "a")
    #expect(try contents() == filled(1, 512) + filled(0, 512) + filled(1, 76))
    disk.zeroSector(2, in: "a")
    #expect(try contents() == filled(1, 512) + filled(0, 588))
  }

  @Test("Sectors change places, or are doubled")
  func swap() throws {
    disk.install(filled(1, 512) + filled(2, 512) + filled(3, 512), at: "a")
    disk.swapSectors(0, 2, in: "a")
    #expect(try contents() == filled(3, 512) + filled(2, 512) + filled(1, 512))
    disk.duplicateSector(0, over: 1, in: "a")
    #expect(try contents() == filled(3, 1024) + filled(1, 512))
  }

  @Test("Old bytes come back")
  func splice() throws {
    disk.install(filled(1, 100), at: "a")
    let old = try contents()
    disk.install(filled(2, 100), at: "a")
    disk.overwrite([UInt8](old[20..<30]), at: 20, in: "a")
    #expect(try contents() == filled(2, 20) + filled(1, 10) + filled(2, 70))
  }

  @Test("The end of a file is lost")
  func cut() throws {
    disk.install(filled(1, 9000), at: "a")
    disk.cut("a", to: 4000)
    #expect(try contents() == filled(1, 4000))
    #expect(disk.usedByteCount == 4096)
    try disk.open("a", .readWrite).truncate(to: 4002)
    #expect(disk.contents(of: "a") == filled(1, 4000) + [0, 0])
  }
}
