import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// A disk whose file system can share blocks, or cannot.
func disk(seed: UInt64 = 1, clones: Bool, capacity: UInt64? = nil) -> SimulatedDisk {
  var options = SimulatedDiskOptions(seed: seed, capacity: capacity)
  options.traits.clones = clones
  return SimulatedDisk(options)
}

/// Copies of stores that are open.
struct BackupTests {
  static let copy = "data/copy"

  /// The names beside the store that nobody asked for.
  static func leftovers(_ disk: SimulatedDisk) -> [String] {
    disk.paths.filter { $0 != StoreFixture.path && $0 != copy }
  }

  @Test(arguments: accesses, [false, true])
  func `A backup is a store of its own with all that was there, and both go on apart`(
    access: SedimentOptions.Access, clones: Bool
  ) throws {
    let fixture = try StoreFixture(access, on: disk(clones: clones))
    try StoreFixture.fill(fixture.store)
    let before = try contents(of: fixture.store)
    let call = fixture.disk.callCount
    try fixture.store.backup(to: Self.copy)
    #expect(fixture.count(.clone, since: call) == (clones ? 1 : 0))
    #expect(fixture.disk.crashState.units.allSatisfy { $0.subject != Self.copy })
    let copy = try StoreFixture.opened(Self.copy, on: fixture.disk)
    #expect(copy.recovery.wasClosed)
    #expect(copy.recovery.cut == nil)
    #expect(try contents(of: copy) == before)
    try copy.close()
    // What compaction has still to free is no damage.
    let findings = try SedimentStore.verify(path: Self.copy, on: fixture.disk).findings
    #expect(findings.filter { $0.kind != .orphaned } == [])
    let again = try StoreFixture.opened(Self.copy, on: fixture.disk)
    try apart(fixture, again)
  }

  /// Writes to a store and its copy, and sees that neither has what was written to the other.
  private func apart(_ fixture: StoreFixture, _ copy: SedimentStore) throws {
    try copy.set("copy", forKey: "key 1")
    try copy.set(pattern(140_000, 9), forKey: "large")
    try fixture.store.set("original", forKey: "key 1")
    try fixture.store.set(pattern(160_000, 8), forKey: "large")
    for number in 0..<200 { try copy.set(pattern(500, number), forKey: "later \(number)") }
    for number in 0..<300 { try fixture.store.set(pattern(400, number), forKey: "later \(number)") }
    let (first, second) = (try contents(of: fixture.store), try contents(of: copy))
    try copy.close()
    try fixture.reopen()
    #expect(try contents(of: fixture.store) == first)
    #expect(try contents(of: StoreFixture.opened(Self.copy, on: fixture.disk)) == second)
    #expect(Self.leftovers(fixture.disk) == [])
  }

  @Test(arguments: [false, true])
  func `The copy says what it left and when, and is not taken for its original`(clones: Bool) throws {
    let fixture = try StoreFixture(on: disk(clones: clones))
    try StoreFixture.fill(fixture.store)
    let sequence = fixture.store.statistics.sequence
    try fixture.store.backup(to: Self.copy)
    let original = try FileInspection.inspect(path: StoreFixture.path, on: fixture.disk).head.leading
    let head = try FileInspection.inspect(path: Self.copy, on: fixture.disk).head
    #expect(head.other?.lineage == head.leading.lineage)
    #expect(head.leading.state == .closed && head.other?.state == .closed)
    #expect(head.leading.lineage.low != original.lineage.low)
    #expect(head.leading.lineage.parentLow == original.lineage.low)
    #expect(head.leading.lineage.parentHigh == original.lineage.high)
    // A mark that the sync before the sharing appends does not count as a change.
    #expect(head.leading.lineage.fork.rawValue - sequence <= 2)
    #expect(head.leading.identity == original.identity)
    #expect(head.leading.segment.generation.rawValue > 1 << 32)
    #expect(head.isAsCreated)
  }

  @Test func `What was freed meanwhile is copied next, so that its slots come back before the copy is whole`()
    throws
  {
    let fixture = try StoreFixture(on: disk(clones: false))
    try fixture.close()
    fixture.options.slackSlotCount = 1
    try fixture.open()
    // A segment of one slot has two of these.
    for number in 0..<40 { try fixture.store.set(pattern(7900, number), forKey: "\(number)") }
    var steps: [(pinnedCount: Int, usedByteCount: UInt64)] = []
    try fixture.store.backup(to: Self.copy) { _ in
      // Three segments die, of those that would be copied last.
      if steps.count == 4 {
        for number in 28..<36 { _ = try? fixture.store.remove(forKey: "\(number)") }
      }
      if steps.count >= 4 { try? fixture.store.compact() }
      steps.append((fixture.store.pinnedGenerationCount, fixture.store.statistics.usedByteCount))
      return .continue
    }
    #expect(steps.count == 21)
    #expect(steps[9].usedByteCount <= steps[4].usedByteCount - 3 * 16_384)
    // None of them was let go of before it was copied.
    #expect(steps.map(\.pinnedCount) == [20] + (2...20).reversed() + [0])
    let copy = try StoreFixture.opened(Self.copy, on: fixture.disk)
    for number in 0..<40 {
      #expect(try same(copy.retrieve(forKey: "\(number)"), pattern(7900, number)))
    }
  }

  @Test(arguments: [false, true])
  func `Only what is in use takes room`(clones: Bool) throws {
    let fixture = try StoreFixture(on: disk(clones: clones))
    for number in 0..<40 { try fixture.store.set(pattern(200_000, number), forKey: "large") }
    try fixture.store.set("1", forKey: "key")
    try fixture.store.backup(to: Self.copy)
    let catalogue = try recovered(Self.copy, on: fixture.disk).catalogue
    let slotCount = catalogue.segments.reduce(0) { $0 + UInt64($1.identity.run.count) }
    #expect(fixture.disk.allocatedByteCount(of: Self.copy)! <= (slotCount + 2) * 16_384)
    #expect(try StoreFixture.opened(Self.copy, on: fixture.disk).count() == 2)
  }

  private func recovered(_ path: String, on disk: SimulatedDisk) throws -> RecoveredLog {
    let file = try disk.openFile(path, .read)
    defer { try? file.close() }
    return try LogReading(file).run()
  }

  @Test(arguments: [true, false], [false, true])
  func `A store that is only read can be backed up, closed before or not`(
    isClean: Bool, clones: Bool
  ) throws {
    let fixture = try StoreFixture(on: disk(clones: clones))
    try StoreFixture.fill(fixture.store)
    let before = try contents(of: fixture.store)
    if isClean { try fixture.close() }
    let image = fixture.disk.afterProcessDeath()
    let bytes = image.contents(of: StoreFixture.path).map(FileImage.init)
    let reader = try StoreFixture.opened(StoreFixture.path, on: image, readOnly: true)
    try reader.backup(to: Self.copy)
    #expect(image.contents(of: StoreFixture.path).map(FileImage.init) == bytes)
    let copy = try StoreFixture.opened(Self.copy, on: image)
    #expect(copy.recovery.wasClosed)
    #expect(try contents(of: copy) == before)
  }

  @Test func `A backup of a backup, and one of a store that has a cap, are stores as well`() throws {
    let fixture = try StoreFixture(maxByteCount: 1 << 20)
    try StoreFixture.fill(fixture.store)
    let before = try contents(of: fixture.store)
    var store = fixture.store
    for number in 0..<5 {
      try store.backup(to: "data/\(number)")
      store = try StoreFixture.opened("data/\(number)", on: fixture.disk)
      #expect(try contents(of: store) == before)
    }
    #expect(fixture.disk.paths == (0..<5).map { "data/\($0)" } + [StoreFixture.path])
  }

  // MARK: While others write

  @Test func `What the copying still needs is pinned, and nothing afterwards`() throws {
    let fixture = try StoreFixture()
    try StoreFixture.fill(fixture.store)
    var callCount = 0
    try fixture.store.backup(to: Self.copy) { progress in
      callCount += 1
      let isDone = progress.completedByteCount == progress.totalByteCount
      #expect((fixture.store.pinnedGenerationCount == 0) == isDone)
      try? fixture.store.set(pattern(1_000, callCount), forKey: "key 1")
      return .continue
    }
    #expect(callCount > 3)
    #expect(fixture.store.pinnedGenerationCount == 0)
    #expect(try StoreFixture.opened(Self.copy, on: fixture.disk).retrieve(forKey: "key 1") == pattern(300, 1))
  }

  @Test func `Progress rises to the end, which is said once`() throws {
    let fixture = try StoreFixture()
    try StoreFixture.fill(fixture.store)
    var all: [SedimentProgress] = []
    try fixture.store.backup(to: Self.copy) { progress in
      all.append(progress)
      return .continue
    }
    #expect(all.count > 3)
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.completedByteCount < $1.completedByteCount })
    #expect(all.count { $0.completedByteCount == $0.totalByteCount } == 1)
    #expect(Set(all.map(\.totalByteCount)).count == 1)
    #expect(all.last.map { $0.completedByteCount == $0.totalByteCount } == true)
  }
}
