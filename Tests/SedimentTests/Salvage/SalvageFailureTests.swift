import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Salvages that cannot be made, or are interrupted.
struct SalvageFailureTests {
  private static let path = StoreFixture.path
  private static let saved = SalvageTests.saved

  private static func salvage(_ disk: SimulatedDisk) throws {
    _ = try SedimentStore.salvage(from: path, to: saved, on: disk)
  }

  @Test func `What is no store, or is open, is an error`() throws {
    let disk = SimulatedDisk(seed: 1)
    #expect(code { try Self.salvage(disk) } == .notFound)
    for bytes in [[], pattern(100), pattern(100_000)] {
      disk.install(bytes, at: Self.path)
      #expect(code { try Self.salvage(disk) } == .foreign)
    }
    let fixture = try StoreFixture()
    #expect(code { try Self.salvage(fixture.disk) } == .locked)
    #expect(fixture.disk.paths == [Self.path])
  }

  @Test func `A superblock alone is nothing to save anything from`() throws {
    let disk = try VerificationTests.filled()
    let contents = disk.contents(of: Self.path)!
    disk.install(Array(contents[..<100]), at: Self.path)
    #expect(code { try Self.salvage(disk) } == .damaged)
    #expect(disk.paths == [Self.path])
  }

  @Test func `A file that is there already stays as it is`() throws {
    let disk = try VerificationTests.filled()
    disk.install([1, 2, 3], at: Self.saved)
    #expect(code { try Self.salvage(disk) } == .exists)
    #expect(disk.contents(of: Self.saved) == [1, 2, 3])
    #expect(
      code { _ = try SedimentStore.salvage(from: Self.path, to: Self.path, on: disk) } == .exists)
    #expect(disk.paths == [Self.saved, Self.path])
  }

  @Test func `Stopped at any moment it leaves nothing behind`() throws {
    let disk = try VerificationTests.filled()
    var all: [SedimentProgress] = []
    _ = try SedimentStore.salvage(from: Self.path, to: "data/whole", on: disk) { progress in
      all.append(progress)
      return .continue
    }
    try disk.remove("data/whole")
    #expect(all.count { $0.completedByteCount == $0.totalByteCount } == 1)
    #expect(zip(all, all.dropFirst()).allSatisfy { $0.completedByteCount <= $1.completedByteCount })
    #expect(all.count > 5)
    for moment in 1..<all.count {
      var count = 0
      #expect(
        code {
          _ = try SedimentStore.salvage(from: Self.path, to: Self.saved, on: disk) { _ in
            count += 1
            return count == moment ? .stop : .continue
          }
        } == .cancelled)
      #expect(disk.paths == [Self.path])
    }
  }

  @Test func `A record that does not say where its large value lies is told of as lost`() throws {
    var builder = try LogBuilder(fileSlotCount: 8)
    try builder.open()
    try builder.put("kept", "value")
    let start = try builder.append(
      .putLarge, key: Array("large".utf8), value: [UInt8](repeating: 0xff, count: 64))
    let end = builder.position
    try builder.sync()
    let report = try SedimentStore.salvage(from: LogBuilder.path, to: Self.saved, on: builder.disk)
    #expect(report.keyCount == 1)
    #expect(report.lostValueCount == 1)
    #expect(
      report.losses.contains {
        $0.range == start.offset.byteOffset..<end.offset.byteOffset
          && $0.reason == "it does not say where its value lies"
      })
  }

  @Test(arguments: [SystemErrorCode.inputOutput, .noSpace])
  func `Whichever call fails, there is no new file or a whole one, and the old one is as it was`(
    code: SystemErrorCode
  ) throws {
    let whole = try VerificationTests.filled()
    let first = whole.callCount
    try Self.salvage(whole)
    let expected = try contents(of: StoreFixture.opened(Self.saved, on: whole))
    var failureCount = 0
    for index in first..<whole.callCount {
      let disk = try VerificationTests.filled()
      let before = disk.contents(of: Self.path).map(FileImage.init)
      disk.inject(.error(code), atCall: disk.callCount + index - first)
      do {
        try Self.salvage(disk)
        disk.clearFaults()
        // A place that cannot be read once is read again, or lost and told.
        let saved = try contents(of: StoreFixture.opened(Self.saved, on: disk))
        #expect(saved.count <= expected.count, "call \(index - first)")
      } catch {
        failureCount += 1
        disk.clearFaults()
        #expect((error as? SedimentError)?.systemError != nil, "call \(index - first): \(error)")
        for path in disk.paths where path != Self.path {
          // Removing it may be what failed.
          #expect(path.hasPrefix("data/."), "call \(index - first): \(path)")
          #expect(disk.calls.contains { $0.operation == .remove && $0.path == path }, "call \(index - first)")
        }
      }
      #expect(disk.contents(of: Self.path).map(FileImage.init) == before)
    }
    #expect(failureCount > 10)
  }

  @Test func `On a disk of any size it is made or refused`() throws {
    let disk = try VerificationTests.filled()
    let before = try contents(of: StoreFixture.opened(Self.path, on: disk.afterProcessDeath()))
    let used = disk.usedByteCount
    var isMade = false
    for blockCount in stride(from: 0, to: 400, by: 3) where !isMade {
      disk.capacity = used + UInt64(blockCount) * 4096
      if let code = code({ try Self.salvage(disk) }) {
        #expect(code == .outOfSpace)
        #expect(disk.paths == [Self.path])
      } else {
        isMade = true
      }
    }
    #expect(isMade)
    disk.capacity = nil
    #expect(try contents(of: StoreFixture.opened(Self.saved, on: disk)) == before)
  }

  @Test func `After a power failure at any moment the new file is absent or whole`() throws {
    let fixture = try StoreFixture()
    for number in 0..<20 { try fixture.store.set(pattern(100, number), forKey: "key \(number)") }
    let before = try contents(of: fixture.store)
    try fixture.close()
    let disk = fixture.disk
    disk.trimHistory()
    try Self.salvage(disk)
    let plans = CrashPlanOptions(exhaustiveCountMax: 32, randomCount: 4, countMax: 16)
    var (absentCount, wholeCount) = (0, 0)
    for state in disk.history {
      for choice in state.plans(plans, seed: 1) {
        let image = state.afterPowerLoss(choice)
        guard image.paths.contains(Self.saved) else {
          absentCount += 1
          continue
        }
        wholeCount += 1
        #expect(try contents(of: StoreFixture.opened(Self.saved, on: image)) == before)
      }
    }
    #expect(absentCount > 50 && wholeCount > 0)
    #expect(disk.afterPowerLoss(.nothing).paths == [Self.saved, Self.path])
  }
}
