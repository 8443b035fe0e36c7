import Foundation
import Sediment
import SedimentTesting
import Testing
import Vellum

/// What archives should be: all that is done to them is done to this, too, in the plainest way.
private struct ArchiveModel {
  struct Archive: Equatable {
    var block: Block
    var isOnDisk: Bool
    var time: Date
  }

  let memorySize: Int
  let diskSize: Int
  /// In the order in which they were first recorded.
  var archives: [Archive] = []
  /// Keys, the least recently used first.
  var memory: [String] = []
  var uses: [String] = []

  init(memorySize: Int, diskSize: Int) {
    self.memorySize = memorySize
    self.diskSize = diskSize
  }

  var memoryCount: Int { memory.reduce(0) { $0 + size($1) } }
  var diskCount: Int { archives.reduce(0) { $0 + ($1.isOnDisk ? size($1.block.primaryKey) : 0) } }
  var present: [Block] { archives.map(\.block) }

  private func place(_ key: String) -> Int? { archives.firstIndex { $0.block.primaryKey == key } }

  private func size(_ key: String) -> Int {
    guard let place = place(key), let data = try? archives[place].block.archiveData() else { return 0 }
    return data.count
  }

  mutating func record(_ block: Block, at time: Date) {
    let key = block.primaryKey
    let size = (try? block.archiveData().count) ?? 0
    guard size <= memorySize || size <= diskSize else { return }
    let archive = Archive(block: block, isOnDisk: size <= diskSize, time: time)
    if let place = place(key) { archives[place] = archive } else { archives.append(archive) }
    use(key, at: time)
    while diskCount > diskSize {
      guard let victim = uses.first(where: { archives[place($0)!].isOnDisk }) else { break }
      archives[place(victim)!].isOnDisk = false
    }
    keep(key)
  }

  mutating func access(_ key: String, at time: Date) -> Block? {
    guard let place = place(key) else { return nil }
    use(key, at: time)
    keep(key)
    return archives[place].block
  }

  mutating func delete(_ key: String) {
    archives.removeAll { $0.block.primaryKey == key }
    memory.removeAll { $0 == key }
    uses.removeAll { $0 == key }
  }

  mutating func deleteAll(before time: Date) {
    for archive in archives where archive.time < time { delete(archive.block.primaryKey) }
  }

  /// Only the disk part outlives the process.
  mutating func restart() {
    memory = []
    forgetGone()
  }

  private mutating func use(_ key: String, at time: Date) {
    archives[place(key)!].time = time
    uses.removeAll { $0 == key }
    uses.append(key)
  }

  private mutating func keep(_ key: String) {
    memory.removeAll { $0 == key }
    if size(key) <= memorySize { memory.append(key) }
    while memoryCount > memorySize { memory.removeFirst() }
    forgetGone()
  }

  private mutating func forgetGone() {
    archives.removeAll { !$0.isOnDisk && !memory.contains($0.block.primaryKey) }
    uses = uses.filter { place($0) != nil }
  }
}

@Suite struct ArchiveModelTests {
  @Test(arguments: 0..<24)
  func `Random use, with restarts in between, is as the model says`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let sizes = [0, 150, 400, 1000, 3000]
    let (memorySize, diskSize) = (sizes.randomElement(using: &random)!, sizes.randomElement(using: &random)!)
    var model = ArchiveModel(memorySize: memorySize, diskSize: diskSize)
    let fixture = try ArchiveFixture()
    for _ in 0..<6 {
      let archives: ArchiveManager<Block> = try fixture.archives(memory: memorySize, disk: diskSize)
      for archive in model.archives {
        #expect(archives.latestAccessedTime(for: archive.block) == archive.time)
      }
      for _ in 0..<120 {
        step(archives, &model, fixture, &random)
        #expect(archives.currentMemorySize.bytes == model.memoryCount)
        #expect(archives.currentDiskSize.bytes == model.diskCount)
      }
      #expect(archives.accessAll() == model.present)
      for archive in model.archives {
        #expect(archives.latestAccessedTime(for: archive.block) == archive.time)
      }
      #expect(try archives.recount() == nil)
      try archives.throwing.sync()
      model.restart()
      try close(fixture)
    }
  }

  /// The managers are gone when this is called.
  private func close(_ fixture: ArchiveFixture) throws { try fixture.restart() }

  private func step(
    _ archives: ArchiveManager<Block>, _ model: inout ArchiveModel, _ fixture: ArchiveFixture,
    _ random: inout SeededGenerator
  ) {
    let key = "\(Int.random(in: 0..<25, using: &random))"
    if Bool.random(using: &random) {
      fixture.pass(seconds: Double(Int.random(in: 0...20, using: &random)) / 10)
    }
    let now = fixture.time.now
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<45:
      let byteCount = Int.random(in: 3...(random.next() % 10 == 0 ? 1200 : 140), using: &random)
      let block = Block(key, byteCount: byteCount, fill: UInt8.random(in: 1...255, using: &random))
      model.record(block, at: now)
      archives.record(block)
    case 45..<85: #expect(archives.access(archiveWithKey: key) == model.access(key, at: now))
    case 85..<95:
      model.delete(key)
      archives.delete(archiveWithKey: key)
    case 95..<98:
      let interval = Double(Int.random(in: 0..<30, using: &random))
      model.deleteAll(before: now - interval)
      archives.deleteAllInvalidateArchives(invalidateTimeInterval: interval)
    case 98:
      if random.next() % 4 == 0 {
        model = ArchiveModel(memorySize: model.memorySize, diskSize: model.diskSize)
        archives.deleteAll()
      }
    default: #expect(archives.accessAll() == model.present)
    }
  }
}
