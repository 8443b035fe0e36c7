import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Holes that there may be or not, because the call that should punch them failed.
@Suite struct HolePunchingTests {
  @Test(arguments: accesses, [FaultEffect.errorAfterwards(.inputOutput), .error(.inputOutput)])
  func `Whether or not a hole was punched, slots have blocks before anything is stored there`(
    access: SedimentOptions.Access, effect: FaultEffect
  ) throws {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 5, violationRule: .record))
    let fixture = try StoreFixture(access, on: disk)
    for number in 0..<400 { try fixture.store.set(pattern(4_000, number), forKey: "\(number)") }
    for number in 0..<390 { try fixture.store.remove(forKey: "\(number)") }
    disk.inject(effect, only: [.punchHole])
    #expect(code { try fixture.store.compact() } == .inputOutput)
    for number in 0..<400 { try fixture.store.set(pattern(4_000, number + 1), forKey: "\(number)") }
    #expect(disk.violations.first == nil)
    for _ in 0..<2 {
      for number in 0..<400 {
        #expect(try same(fixture.store.retrieve(forKey: "\(number)"), pattern(4_000, number + 1)))
      }
      try fixture.reopen()
    }
  }
}
