import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// After a failed sync a disk may let blocks pass for written that are not, and never get what is written to them later
/// (DESIGN.md 7, step 2).
struct StrandedBlocksTests {
  /// Enough for several blocks that nothing was synced in before.
  private static let values = [10_000, 30_000, 300_000]

  /// A store whose last changes are in blocks that the failed sync has stranded.
  private static func failed(_ access: SedimentOptions.Access, _ byteCount: Int) throws -> StoreFixture {
    let fixture = try StoreFixture(access)
    try fixture.store.set("synced", forKey: "early", durability: .synced)
    for number in 0..<3 {
      try fixture.store.set([UInt8](repeating: 7, count: byteCount), forKey: "late \(number)")
    }
    fixture.disk.inject(.droppedSync(.inputOutput), only: [.sync])
    #expect(code { try fixture.store.sync() } == .outcomeUnknown)
    return fixture
  }

  @Test(arguments: accesses, values)
  func `What is synced after a sync failed in an opening before outlives a power failure`(
    access: SedimentOptions.Access, byteCount: Int
  ) throws {
    let fixture = try Self.failed(access, byteCount)
    let next = try StoreFixture(access, on: fixture.disk.afterProcessDeath())
    for number in 0..<3 {
      try next.store.set([UInt8](repeating: 8, count: byteCount), forKey: "new \(number)")
    }
    try next.store.sync()
    let found = try contents(of: next.store)
    for plan in [.nothing, .everything] as [CrashPlan] {
      let after = try StoreFixture(access, on: next.disk.afterPowerLoss(plan))
      #expect(try contents(of: after.store) == found)
      #expect(try after.store.retrieve(forKey: "early", as: String.self) == "synced")
    }
  }

  @Test(arguments: accesses, values)
  func `What an opening shows after a sync failed in the one before is durable`(
    access: SedimentOptions.Access, byteCount: Int
  ) throws {
    let fixture = try Self.failed(access, byteCount)
    #expect(code { try fixture.close() } == .outcomeUnknown)
    try fixture.open()
    #expect(fixture.store.recovery.isDurable)
    let found = try contents(of: fixture.store)
    let after = try StoreFixture(access, on: fixture.disk.afterPowerLoss(.nothing))
    #expect(try contents(of: after.store) == found)
  }
}
