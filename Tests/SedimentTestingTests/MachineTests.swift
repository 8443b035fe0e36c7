import Foundation
import SedimentDisk
import SedimentTesting
import Testing

/// Machines with large pages, and those that refuse what others do.
@Suite("Odd machines")
struct MachineTests {
  @Test("Ranges of a mapping are whole pages", arguments: [4096, 16_384, 65_536])
  func pages(byteCount: Int) throws {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, pageByteCount: byteCount))
    #expect(disk.pageByteCount == byteCount)
    let file = try disk.installed("a", filled(7, 3 * byteCount + 1))
    let mapping = try file.reserveMapping(byteCount: UInt64(4 * byteCount))
    #expect(mapping.pageByteCount == byteCount)
    try mapping.expose(0..<UInt64(4 * byteCount), writable: true)
    mapping.store([1], at: UInt64(byteCount))
    #expect(mapping.load(byteCount..<byteCount + 2) == [1, 7])
  }

  @Test("A range that ends within a page ends the process")
  func unaligned() async {
    await #expect(processExitsWith: .failure) {
      let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, pageByteCount: 16_384))
      let file = try disk.installed("a", filled(7, 16_384))
      try file.reserveMapping(byteCount: 16_384).expose(0..<4096, writable: false)
    }
  }

  @Test("A store takes blocks for all of its page")
  func wholePage() throws {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, pageByteCount: 65_536, violationRule: .record))
    let file = try disk.installed("a", filled(7, 131_072))
    let mapping = try SimulatedDisk.writable(file, 131_072)
    try file.punchHole(4096..<8192)
    mapping.store([1], at: 0)
    mapping.store([1], at: 65_536)
    try mapping.expose(0..<65_536, writable: true)
    #expect(disk.violations.map(\.kind) == [.storeNotAllocated, .exposedNotAllocated])
    #expect(try file.read(0..<1) == [7])
    #expect(try file.read(65_536..<65_537) == [1])
  }

  #if os(Linux)
    @Test("What is concealed, or lies behind the end, ends the process that reads it", arguments: [0, 1, 2])
    func concealed(way: Int) async {
      await #expect(processExitsWith: .signal(SIGSEGV)) { [way] in
        let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, pageByteCount: 16_384))
        let file = try disk.installed("a", filled(7, 65_536))
        let mapping = try file.reserveMapping(byteCount: 65_536)
        try mapping.expose(0..<65_536, writable: false)
        precondition(mapping.load(0..<65_536) == filled(7, 65_536))
        switch way {
        case 0: try mapping.conceal(16_384..<32_768)
        case 1: try file.truncate(to: 16_384)
        default: try mapping.conceal(0..<65_536)
        }
        // Calls reach it all the same.
        let read = try file.read(0..<16_384)
        precondition(read == filled(7, 16_384))
        _ = mapping.load(16_384..<16_385)
      }
    }
  #endif

  @Test("What another mapping exposes stays readable")
  func shared() throws {
    let disk = SimulatedDisk(seed: 1)
    let file = try disk.installed("a", filled(7, 8192))
    let first = try SimulatedDisk.writable(file, 8192)
    let second = try SimulatedDisk.writable(file, 8192)
    try first.conceal(0..<8192)
    #expect(second.load(0..<8192) == filled(7, 8192))
  }

  @Test("Where directories are not synced, names are durable at once")
  func directorySyncs() throws {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, refusals: [.directorySyncs]))
    let file = try disk.open("d/a", .create)
    try file.write([1], at: 0)
    try file.sync()
    try disk.rename("d/a", to: "d/b", .keepExisting)
    #expect(failure { () throws(DiskError) in try disk.syncDirectory(of: "d/b") } == .accessDenied)
    #expect(failure { () throws(DiskError) in try disk.secureNames(of: "d/b") } == nil)
    #expect(disk.afterPowerLoss(.nothing).contentsByPath == ["d/b": [1]])
    // There is no moment at which a process sees a name that a power failure takes away.
    let history = disk.history
    for point in 0..<history.pointCount {
      let state = history.state(at: point)
      let names = state.afterProcessDeath().contentsByPath.keys
      #expect(state.afterPowerLoss(.nothing).contentsByPath.keys.sorted() == names.sorted(), "\(point)")
    }
  }

  @Test("A second lock is refused without a word where that is so")
  func secondLocks() throws {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, refusals: [.secondLocks]))
    let file = try disk.installed("a", [1])
    let other = try disk.open("a", .readWrite)
    #expect(try file.lock(0..<1, .exclusive))
    #expect(try file.lock(0..<1, .exclusive))
    #expect(
      failure { () throws(DiskError) in _ = try other.lock(0..<1, .exclusive) } == .notSupported)
  }
}
