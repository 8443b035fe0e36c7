import SedimentDisk
import SedimentTesting
import Testing

@Suite("Stores through a mapping")
struct MappingTests {
  let disk = SimulatedDisk(seed: 1)

  func recording() -> SimulatedDisk {
    SimulatedDisk(SimulatedDiskOptions(seed: 1, violationRule: .record))
  }

  @Test("A page may be written back between any 64 bytes of a copy")
  func granules() throws {
    let file = try disk.installed("a", filled(0, 4096))
    let mapping = try SimulatedDisk.writable(file, 4096)
    mapping.store(filled(7, 256), at: 0)
    let expected = [0, 64, 128, 192, 256].map { filled(7, $0) + filled(0, 4096 - $0) }
    #expect(disk.crashState.images(of: "a") == Set(expected))
  }

  @Test("The granules lie where the offset is a multiple of their size")
  func unalignedStore() throws {
    let file = try disk.installed("a", filled(0, 4096))
    let mapping = try SimulatedDisk.writable(file, 4096)
    mapping.store(filled(7, 100), at: 40)
    let expected = [0, 24, 88, 100].map { filled(0, 40) + filled(7, $0) + filled(0, 4056 - $0) }
    #expect(disk.crashState.images(of: "a") == Set(expected))
  }

  @Test("A finer granule gives more states")
  func fineGranule() throws {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, storeGranuleByteCount: 8))
    let file = try disk.installed("a", filled(0, 4096))
    let mapping = try SimulatedDisk.writable(file, 4096)
    mapping.store(filled(7, 64), at: 0)
    #expect(disk.crashState.images(of: "a").count == 9)
  }

  @Test("The sectors of a store persist independently")
  func sectorsOfStore() throws {
    let file = try disk.installed("a", filled(0, 4096))
    let mapping = try SimulatedDisk.writable(file, 4096)
    mapping.store(filled(7, 128), at: 448)
    let images = disk.crashState.images(of: "a")
    var expected: Set<[UInt8]> = []
    for first: UInt8 in [0, 7] {
      for second: UInt8 in [0, 7] {
        expected.insert(filled(0, 448) + filled(first, 64) + filled(second, 64) + filled(0, 3520))
      }
    }
    #expect(images == expected)
  }

  @Test("Readers, writers and all mappings see the same bytes")
  func coherence() throws {
    let file = try disk.installed("a", filled(0, 4096))
    let other = try disk.open("a", .read)
    let mapping = try SimulatedDisk.writable(file, 4096)
    let second = try other.reserveMapping(byteCount: 4096)
    try second.expose(0..<4096, writable: false)
    mapping.store([1, 2, 3], at: 10)
    try file.write([4, 5], at: 13)
    #expect(try other.read(9..<16) == [0, 1, 2, 3, 4, 5, 0])
    #expect(second.load(9..<16) == [0, 1, 2, 3, 4, 5, 0])
  }

  @Test("A mapping outlives its file's closing, its name and the disk's reference")
  func outlives() throws {
    let file = try disk.installed("a", filled(5, 4096))
    let mapping = try SimulatedDisk.writable(file, 4096)
    try file.close()
    try disk.remove("a")
    mapping.store([6], at: 0)
    #expect(mapping.load(0..<2) == [6, 5])
    #expect(
      failure { () throws(DiskError) in try mapping.expose(0..<4096, writable: false) } == .badDescriptor)
    #expect(failure { () throws(DiskError) in try mapping.conceal(0..<4096) } == nil)
  }

  @Test("A store where nothing is exposed for writing is a violation and is not made")
  func storeNotExposed() throws {
    let disk = recording()
    let file = try disk.installed("a", filled(0, 8192))
    let mapping = try file.reserveMapping(byteCount: 8192)
    try mapping.expose(0..<4096, writable: true)
    try mapping.expose(4096..<8192, writable: false)
    mapping.store(filled(1, 2), at: 4095)
    try mapping.conceal(0..<4096)
    mapping.store(filled(1, 1), at: 0)
    #expect(
      disk.violations == [
        Violation(kind: .storeNotExposed, path: "a", range: 4095..<4097),
        Violation(kind: .storeNotExposed, path: "a", range: 0..<1),
      ])
    #expect(disk.contents(of: "a") == filled(0, 8192))
  }

  @Test("A store beyond the reserved addresses ends the process")
  func storeBeyondReservation() async {
    await #expect(processExitsWith: .failure) {
      let mapping = try SimulatedDisk(seed: 1).open("a", .create).reserveMapping(byteCount: 8192)
      mapping.store([1], at: .max)
    }
    await #expect(processExitsWith: .failure) {
      let mapping = try SimulatedDisk(seed: 1).open("a", .create).reserveMapping(byteCount: 8192)
      mapping.store([1, 2], at: 8191)
    }
  }

  @Test("A store past the end, or into a hole, is a violation")
  func storeNowhere() throws {
    let disk = recording()
    let file = try disk.installed("a", filled(0, 8192))
    let mapping = try SimulatedDisk.writable(file, 8192)
    try file.punchHole(0..<4096)
    mapping.store([1], at: 0)
    try file.truncate(to: 5000)
    mapping.store([1], at: 5000)
    mapping.store([1], at: 4999)
    #expect(disk.violations.map(\.kind) == [.storeNotAllocated, .storeBeyondEnd])
    #expect(disk.contents(of: "a") == filled(0, 4999) + [1])
  }

  @Test("Exposing what a file lacks is a violation")
  func exposeNowhere() throws {
    let disk = recording()
    let file = try disk.installed("a", filled(0, 100))
    let mapping = try file.reserveMapping(byteCount: 1 << 40)
    try mapping.expose(0..<4096, writable: true)
    try mapping.expose(4096..<8192, writable: false)
    try file.truncate(to: 8192)
    try mapping.expose(4096..<8192, writable: false)
    try mapping.expose(4096..<8192, writable: true)
    #expect(disk.violations.map(\.kind) == [.exposedBeyondEnd, .exposedNotAllocated])
  }

  @Test("Exposing for writing needs a file opened for writing")
  func exposeErrors() throws {
    disk.install(filled(0, 4096), at: "a")
    let file = try disk.open("a", .read)
    let mapping = try file.reserveMapping(byteCount: 4096)
    #expect(
      failure { () throws(DiskError) in try mapping.expose(0..<4096, writable: true) } == .accessDenied)
  }

  @Test("A violation ends the process unless it is only to be noted")
  func trap() async {
    await #expect(processExitsWith: .failure) {
      let disk = SimulatedDisk(seed: 1)
      disk.install([1], at: "a")
      let mapping = try disk.open("a", .readWrite).reserveMapping(byteCount: 4096)
      mapping.store([1], at: 0)
    }
  }
}
