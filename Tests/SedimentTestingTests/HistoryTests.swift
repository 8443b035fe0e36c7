import SedimentDisk
import SedimentTesting
import Testing

@Suite("Histories, crashes of crashed disks, and determinism")
struct HistoryTests {
  /// A workload with something of everything, that follows from its seed.
  static func run(_ disk: SimulatedDisk, steps: Int, seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let file = try disk.open("log", .create)
    try file.allocate(0..<32768)
    try disk.syncDirectory(of: "log")
    let mapping = try SimulatedDisk.writable(file, 32768)
    for step in 0..<steps {
      let offset = UInt64.random(in: 0..<32000, using: &generator)
      let bytes = filled(UInt8(truncatingIfNeeded: step + 1), Int.random(in: 1...700, using: &generator))
      switch Int.random(in: 0..<8, using: &generator) {
      case 0: try file.sync()
      case 1: try file.write(bytes, at: offset)
      case 2:
        try file.punchHole(offset / 4096 * 4096..<offset / 4096 * 4096 + 4096)
        try file.allocate(0..<32768)
      case 3: try file.truncate(to: 32768 + UInt64(step))
      default: mapping.store(bytes.prefix(Int(32768 - offset)).map { $0 }, at: offset)
      }
    }
  }

  @Test("The same seed gives the same images, byte for byte")
  func determinism() throws {
    func images() throws -> [[String: [UInt8]]] {
      let disk = SimulatedDisk(seed: 5)
      try Self.run(disk, steps: 40, seed: 7)
      return disk.history.flatMap { state in
        state.plans(CrashPlanOptions(countMax: 8), seed: 3).map { state.afterPowerLoss($0).contentsByPath }
      }
    }
    let first = try images()
    #expect(first.count > 200)
    #expect(try images() == first)
  }

  @Test("Random numbers follow from the seed, and a new process gets others")
  func randomNumbers() {
    let first = SimulatedDisk(seed: 5)
    let second = SimulatedDisk(seed: 5)
    let numbers = (0..<100).map { _ in first.random() }
    #expect(numbers == (0..<100).map { _ in second.random() })
    let next = first.afterPowerLoss(.nothing)
    let last = next.afterPowerLoss(.nothing)
    let later = [next, last, first.afterProcessDeath()].map { $0.random() }
    #expect(!numbers.contains(later[0]))
    #expect(later[0] != later[1])
    #expect(later[0] == second.afterPowerLoss(.everything).random())
  }

  @Test("At every point, what is in the page cache is what everything persisting gives")
  func everythingIsCache() throws {
    let disk = SimulatedDisk(seed: 5)
    try Self.run(disk, steps: 200, seed: 11)
    for state in disk.history {
      let image = state.afterPowerLoss(.everything)
      let next = state.afterProcessDeath()
      #expect(next.contentsByPath["log"] == image.contentsByPath["log"])
      #expect(next.allocatedByteCount(of: "log") == image.allocatedByteCount(of: "log"))
    }
    #expect(disk.afterPowerLoss(.everything).contentsByPath == disk.contentsByPath)
    #expect(
      disk.afterPowerLoss(.everything).allocatedByteCount(of: "log") == disk.allocatedByteCount(of: "log"))
  }

  @Test("Every byte of a random image is one that the file held since the last sync")
  func bytesAreOnesThatWere() throws {
    let disk = SimulatedDisk(seed: 5)
    try Self.run(disk, steps: 120, seed: 13)
    // What each byte may be: reset by each sync, and extended by each moment of the cache.
    var possible: [Set<UInt8>] = []
    let history = disk.history
    for state in history {
      let contents = state.afterProcessDeath().contents(of: "log") ?? []
      let follows = state.point > 0 ? history.eventDescription(at: state.point - 1) : nil
      if follows?.hasPrefix("sync file") == true { possible = [] }
      while possible.count < contents.count { possible.append(possible.isEmpty ? [] : [0]) }
      for (index, byte) in contents.enumerated() { possible[index].insert(byte) }
      for seed: UInt64 in 0..<3 {
        let image = state.afterPowerLoss(.random(seed: seed)).contents(of: "log") ?? []
        #expect(image.count <= possible.count)
        // Zero is what a byte reads as where the length persisted without it.
        #expect(image.indices.allSatisfy { image[$0] == 0 || possible[$0].contains(image[$0]) })
      }
    }
  }

  @Test("Walking a history and jumping into it give the same states")
  func walkAndJump() throws {
    let disk = SimulatedDisk(seed: 5)
    try Self.run(disk, steps: 60, seed: 17)
    let history = disk.history
    var points = 0
    for state in history {
      #expect(state.point == points)
      let jumped = history.state(at: points)
      #expect(jumped.units.map(\.kind) == state.units.map(\.kind))
      #expect(
        jumped.afterPowerLoss(.random(seed: 1)).contentsByPath
          == state.afterPowerLoss(.random(seed: 1)).contentsByPath)
      points += 1
    }
    #expect(points == history.pointCount)
    #expect(history.pointCount == disk.crashPoint + 1)
    #expect(history.eventDescription(at: 0) == "create 'log' as file 1")
    #expect(history.eventDescription(at: points - 1) == nil)
  }

  @Test("Trimming forgets the past and keeps what is unsynced")
  func trimming() throws {
    let disk = SimulatedDisk(seed: 5)
    let file = try disk.installed("a", filled(0, 1024))
    try file.write(filled(1, 512), at: 0)
    disk.trimHistory()
    try file.write(filled(2, 512), at: 512)
    #expect(disk.crashPoint == 1)
    #expect(disk.crashState.images(of: "a").count == 4)
    #expect(disk.contents(of: "a") == filled(1, 512) + filled(2, 512))
  }

  @Test("An image is durable, and crashes in turn, three deep")
  func threeDeep() throws {
    let disk = SimulatedDisk(seed: 5)
    _ = try disk.installed("a", filled(0, 1536))
    var images: Set<[UInt8]> = []
    func crash(_ disk: SimulatedDisk, depth: Int) throws {
      guard depth < 3 else {
        images.insert(try #require(disk.contents(of: "a")))
        return
      }
      #expect(disk.crashState.units.isEmpty)
      let file = try disk.open("a", .readWrite)
      try file.write(filled(UInt8(depth + 1), 512), at: UInt64(depth * 512))
      let state = disk.crashState
      for plan in state.plans(.sectors) { try crash(state.afterPowerLoss(plan), depth: depth + 1) }
    }
    try crash(disk, depth: 0)
    let expected = (0..<8).map { (subset: Int) -> [UInt8] in
      (0..<3).flatMap { (sector: Int) -> [UInt8] in
        filled(subset >> sector & 1 == 1 ? UInt8(sector + 1) : 0, 512)
      }
    }
    #expect(images == Set(expected))
  }

  @Test("After the death of the process, what it wrote is there and still unsynced")
  func processDeath() throws {
    let disk = SimulatedDisk(seed: 5)
    let file = try disk.open("a", .create)
    try file.write(filled(1, 512), at: 0)
    let next = disk.afterProcessDeath()
    #expect(next.contents(of: "a") == filled(1, 512))
    #expect(next.crashState.images() == disk.crashState.images())
    #expect(next.afterPowerLoss(.nothing).paths == [])
    try next.open("a", .readWrite).sync()
    try next.syncDirectory(of: "a")
    #expect(next.afterPowerLoss(.nothing).contents(of: "a") == filled(1, 512))
    #expect(disk.afterPowerLoss(.nothing).paths == [])
  }

  @Test("A process may die in the middle of a copy")
  func interruptedCopies() throws {
    let disk = SimulatedDisk(seed: 5)
    let file = try disk.installed("a", filled(0, 4096))
    let mapping = try SimulatedDisk.writable(file, 4096)
    mapping.store(filled(1, 100), at: 10)
    try file.sync()
    let history = disk.history
    #expect(history.interruptionRange(at: 1) == 1..<100)
    #expect(history.interruptionRange(at: 2).isEmpty)
    #expect(history.interruptionRange(at: 3).isEmpty)
    let next = history.state(at: 1, interruptedAfter: 3).afterProcessDeath()
    #expect(next.contents(of: "a") == filled(0, 10) + filled(1, 3) + filled(0, 4083))
    #expect(next.afterPowerLoss(.nothing).contents(of: "a") == filled(0, 4096))
  }

  @Test("The present state is the same whether it is asked for often or once")
  func presentState() throws {
    let often = SimulatedDisk(seed: 5)
    let once = SimulatedDisk(seed: 5)
    for disk in [often, once] {
      let file = try disk.installed("a", filled(0, 4096))
      for value: UInt8 in 1...50 {
        try file.write(filled(value, 300), at: UInt64(value) * 70)
        if value.isMultiple(of: 7) { try file.sync() }
        if disk === often { _ = disk.crashState }
      }
    }
    #expect(often.crashState.units.map(\.moments) == once.crashState.units.map(\.moments))
    for seed: UInt64 in 0..<20 {
      let image = often.afterPowerLoss(.random(seed: seed)).contentsByPath
      #expect(image == once.afterPowerLoss(.random(seed: seed)).contentsByPath)
      let jumped = once.history.state(at: once.crashPoint).afterPowerLoss(.random(seed: seed))
      #expect(image == jumped.contentsByPath)
    }
  }

  @Test("Calls of many threads at once do not harm each other")
  func threads() async throws {
    let disk = SimulatedDisk(seed: 5)
    let file = try disk.installed("a", filled(0, 65536))
    let mapping = try SimulatedDisk.writable(file, 65536)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          let start = UInt64(task * 8192)
          for step in 0..<64 {
            mapping.store(filled(UInt8(task + 1), 64), at: start + UInt64(step * 64))
            try file.write(filled(UInt8(task + 1), 64), at: start + 4096 + UInt64(step * 64))
            if step.isMultiple(of: 16) { try file.sync() }
            _ = try disk.open("a", .read).read(start..<start + 100)
            _ = disk.crashState.units.count
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(disk.contents(of: "a") == (1...8).flatMap { filled(UInt8($0), 8192) })
    #expect(disk.afterPowerLoss(.everything).contents(of: "a") == disk.contents(of: "a"))
    #expect(disk.callCount == 8 * (64 * 3 + 4) + 3)
  }

  @Test("Many pending units: prefixes, omissions, inclusions and random choices instead of all")
  func manyUnits() throws {
    let disk = SimulatedDisk(seed: 5)
    let file = try disk.installed("a", filled(0, 40 * 512))
    for sector in 0..<40 { try file.write(filled(1, 512), at: UInt64(sector * 512)) }
    let state = disk.crashState
    let plans = state.plans(.sectors)
    let versions = Set(plans.map(\.versions))
    #expect(plans.count == 41 + 40 + 40 + 64)
    for count in 0...40 {
      #expect(versions.contains((0..<40).map { $0 < count ? 1 : 0 }))
      #expect(versions.contains((0..<40).map { $0 == count ? 0 : 1 }))
      #expect(versions.contains((0..<40).map { $0 == count ? 1 : 0 }))
    }
    #expect(versions.count > 180)
    #expect(state.plans(CrashPlanOptions(countMax: 10)).count == 10)
  }

  @Test("Up to twelve units with many versions: all subsets, and each version in between")
  func manyVersions() throws {
    let disk = SimulatedDisk(seed: 5)
    let file = try disk.installed("a", filled(0, 12 * 512))
    for value: UInt8 in 1...3 {
      for sector in 0..<12 { try file.write(filled(value, 512), at: UInt64(sector * 512)) }
    }
    let versions = Set(disk.crashState.plans(.sectors).map(\.versions))
    for subset in 0..<4096 { #expect(versions.contains((0..<12).map { subset >> $0 & 1 * 3 })) }
    for sector in 0..<12 {
      for version in 0...3 {
        #expect(versions.contains((0..<12).map { $0 == sector ? version : 3 }))
        #expect(versions.contains((0..<12).map { $0 == sector ? version : 0 }))
      }
    }
  }
}
