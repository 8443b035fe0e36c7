import SedimentDisk
import SedimentTesting
import Testing

@Suite("What a power failure leaves of written sectors")
struct SectorTests {
  let disk = SimulatedDisk(seed: 1)

  @Test("Unsynced sectors persist in every subset, and in no other way", arguments: [1, 2, 5, 8])
  func everySubset(count: Int) throws {
    let file = try disk.installed("a", filled(9, count * 512))
    for sector in 0..<count {
      try file.write(filled(UInt8(sector), 512), at: UInt64(sector * 512))
    }
    let expected = (0..<1 << count).map { subset in
      (0..<count).flatMap { filled(subset >> $0 & 1 == 1 ? UInt8($0) : 9, 512) }
    }
    #expect(disk.crashState.images(of: "a") == Set(expected))
    #expect(disk.crashState.plans(.sectors).count == 1 << count)
  }

  @Test("A write over many sectors is no more whole than many writes")
  func longWrite() throws {
    let file = try disk.installed("a", filled(0, 2048))
    try file.write(filled(1, 1024), at: 256)
    let left = [filled(0, 512), filled(0, 256) + filled(1, 256)]
    let middle = [filled(0, 512), filled(1, 512)]
    let right = [filled(0, 512), filled(1, 256) + filled(0, 256)]
    var expected: Set<[UInt8]> = []
    for first in left {
      for second in middle {
        for third in right { expected.insert(first + second + third + filled(0, 512)) }
      }
    }
    #expect(disk.crashState.images(of: "a") == expected)
  }

  @Test("Synced bytes are in every image, and what came after them may be")
  func syncedStays() throws {
    let file = try disk.installed("a", filled(0, 1024))
    try file.write(filled(1, 512), at: 0)
    try file.sync()
    try file.write(filled(2, 512), at: 512)
    let expected: Set = [filled(1, 512) + filled(0, 512), filled(1, 512) + filled(2, 512)]
    #expect(disk.crashState.images(of: "a") == expected)
  }

  @Test("A sector holds what the page cache held of it at one moment, never a mixture")
  func versions() throws {
    let file = try disk.installed("a", filled(0, 512))
    try file.write(filled(1, 100), at: 0)
    try file.write(filled(2, 100), at: 200)
    try file.write(filled(3, 512), at: 0)
    let first = filled(1, 100) + filled(0, 412)
    let second = filled(1, 100) + filled(0, 100) + filled(2, 100) + filled(0, 212)
    #expect(disk.crashState.images(of: "a") == [filled(0, 512), first, second, filled(3, 512)])
  }

  @Test("Two sectors' versions combine freely")
  func versionsOfTwo() throws {
    let file = try disk.installed("a", filled(0, 1024))
    for value: UInt8 in 1...2 {
      try file.write(filled(value, 512), at: 0)
      try file.write(filled(value + 2, 512), at: 512)
    }
    var expected: Set<[UInt8]> = []
    for first: UInt8 in [0, 1, 2] {
      for second: UInt8 in [0, 3, 4] { expected.insert(filled(first, 512) + filled(second, 512)) }
    }
    #expect(disk.crashState.images(of: "a") == expected)
  }

  @Test("Pages can be chosen as a whole")
  func pages() throws {
    let file = try disk.installed("a", filled(0, 8192))
    try file.write(filled(1, 8192), at: 0)
    let page = filled(0, 4096)
    let new = filled(1, 4096)
    let images = disk.crashState.images(
      of: "a", CrashPlanOptions(tearsSectors: false, granularity: .page))
    #expect(images == [page + page, page + new, new + page, new + new])
  }

  @Test("A page may be written back in the middle of a store, but not in the middle of a call's write")
  func pagesOfStores() throws {
    let file = try disk.installed("a", filled(0, 4096))
    let mapping = try SimulatedDisk.writable(file, 4096)
    mapping.store(filled(1, 1024), at: 0)
    try file.write(filled(2, 1024), at: 2048)
    let images = disk.crashState.images(
      of: "a", CrashPlanOptions(tearsSectors: false, granularity: .page))
    var expected = Set((0...16).map { filled(1, $0 * 64) + filled(0, 4096 - $0 * 64) })
    expected.insert(filled(1, 1024) + filled(0, 1024) + filled(2, 1024) + filled(0, 1024))
    #expect(images == expected)
  }

  @Test("A sector of a write can be torn, over what was settled and over the version before")
  func torn() throws {
    let file = try disk.installed("a", filled(0, 512))
    try file.write(filled(1, 512), at: 0)
    try file.write(filled(2, 512), at: 0)
    var expected: Set = [filled(0, 512), filled(1, 512), filled(2, 512)]
    for cut in stride(from: 64, to: 512, by: 64) {
      expected.insert(filled(1, cut) + filled(0, 512 - cut))
      expected.insert(filled(2, cut) + filled(0, 512 - cut))
      expected.insert(filled(2, cut) + filled(1, 512 - cut))
    }
    #expect(disk.crashState.images(of: "a", CrashPlanOptions()) == expected)
  }

  @Test("Nothing and everything are what they say")
  func extremes() throws {
    let file = try disk.installed("a", filled(0, 4096))
    for value: UInt8 in 1...20 { try file.write(filled(value, 512), at: UInt64(value % 8) * 512) }
    #expect(disk.afterPowerLoss(.nothing).contents(of: "a") == filled(0, 4096))
    #expect(disk.afterPowerLoss(.everything).contents(of: "a") == disk.contents(of: "a"))
  }

  @Test("An explicit choice picks versions by unit")
  func explicitChoice() throws {
    let file = try disk.installed("a", filled(0, 1024))
    try file.write(filled(1, 512), at: 0)
    try file.write(filled(2, 512), at: 512)
    let state = disk.crashState
    #expect(state.units.map(\.kind) == [.sector(0), .sector(1)])
    let image = state.afterPowerLoss(CrashChoice(versions: [0, 1]))
    #expect(image.contents(of: "a") == filled(0, 512) + filled(2, 512))
  }
}
