import CrashModel
import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Stores on a simulated Apple device.
struct StoreAppleTests {
  private static let path = "/data/store"

  private func check(emptiesDriveCache: Bool) -> CrashCheck<EngineScenario> {
    var check = CrashCheck(EngineScenario(.automatic))
    check.disk = CrashMachine.apple(punchesHoles: true).applied(to: check.disk)
    check.disk.syncsEmptyDriveCache = emptiesDriveCache
    check.operationCount = 20
    check.plans = CrashPlanOptions(exhaustiveCountMax: 64, randomCount: 8, countMax: 4)
    return check
  }

  @Test func `What is acknowledged survives a power failure, and would not with plain syncs`() {
    #expect(check(emptiesDriveCache: true).run(seeds: 0..<3).findings.isEmpty)
    #expect(!check(emptiesDriveCache: false).run(seeds: 0..<3).findings.isEmpty)
  }

  @Test func `No way of using a store leaves a lock`() throws {
    let disk = SimulatedDisk(.apple(seed: 1))
    func open(_ path: String = Self.path, readOnly: Bool = false) throws -> SedimentStore {
      try SedimentStore(
        path: path, options: SedimentOptions(durability: .unsynced, readOnly: readOnly), disk: disk,
        scheduler: ManualScheduler())
    }
    let store = try open()
    for number in 0..<300 { try store.set([UInt8](repeating: 1, count: 5000), forKey: "\(number)") }
    #expect(disk.lockedPaths == [Self.path])
    #expect(throws: SedimentError.self) { try open() }
    try store.backup(to: "/data/copy")
    #expect(disk.lockedPaths == [Self.path])
    try store.close()
    #expect(disk.lockedPaths.isEmpty)
    #expect(try SedimentStore.verify(path: Self.path, on: disk).isIntact)
    _ = try SedimentStore.salvage(from: Self.path, to: "/data/saved", on: disk)
    #expect(disk.lockedPaths.isEmpty)
    for path in ["/data/copy", "/data/saved"] {
      let reader = try open(path, readOnly: true)
      #expect(disk.lockedPaths == [path])
      #expect(try reader.count() == 300)
      try reader.close()
      #expect(disk.lockedPaths.isEmpty)
    }
    disk.overwrite([UInt8](repeating: 9, count: 4096), at: 0, in: Self.path)
    disk.overwrite([UInt8](repeating: 9, count: 4096), at: 16_384, in: Self.path)
    #expect(throws: SedimentError.self) { try open() }
    #expect(disk.lockedPaths.isEmpty)
  }
}
