import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Catalogue changes that are too long for one record, and therefore batches.
@Suite struct StoreChangeInPartsTests {
  /// A store of which compaction says in many parts what it frees, the first of them behind a value of so many bytes.
  private static func prepared(fill: Int) throws -> StoreFixture {
    let fixture = try StoreFixture(.unmapped, compaction: .manual)
    fixture.options.changeByteCountMax = 60
    try fixture.reopen()
    for number in 0..<40 {
      try fixture.store.set([UInt8](repeating: 1, count: 40_000), forKey: "gone-\(number)")
    }
    for number in 0..<150 {
      try fixture.store.set([UInt8](repeating: 2, count: 3000), forKey: "kept-\(number)")
    }
    try fixture.store.checkpoint()
    for number in 0..<40 { try fixture.store.remove(forKey: "gone-\(number)") }
    try fixture.store.set([UInt8](repeating: 3, count: fill), forKey: "fill")
    try fixture.store.sync()
    return fixture
  }

  @Test func `A read that fails between two parts leaves a store that can be opened`() throws {
    var failureCount = 0
    for fill in [8, 4_000, 8_000, 12_000] {
      let calls = try Self.callsOfCompacting(fill: fill)
      for call in calls {
        let fixture = try Self.prepared(fill: fill)
        fixture.disk.inject(.error(.inputOutput), atCall: call, only: [.read])
        do {
          try fixture.store.compact()
        } catch {
          failureCount += 1
        }
        fixture.disk.clearFaults()
        let hasSet = (try? fixture.store.set("value", forKey: "after", durability: .synced)) != nil
        let disk = fixture.disk.afterPowerLoss(.nothing)
        let after = try StoreFixture(on: disk)
        #expect(try after.store.retrieve(forKey: "after", as: String.self) == (hasSet ? "value" : nil))
        #expect(try after.store.count() == (hasSet ? 152 : 151))
      }
    }
    #expect(failureCount > 0)
  }

  private static func callsOfCompacting(fill: Int) throws -> [Int] {
    let fixture = try prepared(fill: fill)
    let first = fixture.disk.callCount
    try fixture.store.compact()
    return (first..<fixture.disk.callCount).filter { fixture.disk.calls[$0].operation == .read }
  }
}
