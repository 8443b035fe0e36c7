import Sediment
import SedimentDisk
import SedimentTesting
import Testing

/// Stores that leave out what was not read lately to stay below a number of bytes.
@Suite struct StoreEvictionTests {
  private static func fixture(
    _ byteCount: UInt64, _ access: SedimentOptions.Access = .automatic
  ) throws -> StoreFixture {
    let fixture = try StoreFixture(access)
    try fixture.close()
    fixture.options.capacity = .evicting(maxBytes: byteCount)
    try fixture.open()
    return fixture
  }

  @Test(arguments: accesses, [512 << 10, 1 << 20, 3_000_000] as [UInt64])
  func `The file never exceeds its cap, and the newest keys are there`(
    access: SedimentOptions.Access, byteCount: UInt64
  ) throws {
    let fixture = try Self.fixture(byteCount, access)
    let count = Int(byteCount) / 200
    for number in 0..<count {
      try fixture.store.set(pattern(1_000, number), forKey: "\(number)")
      if number % 16 == 0 { fixture.scheduler.runDue() }
      #expect(fixture.store.statistics.fileByteCount <= byteCount)
    }
    let held = try fixture.store.count()
    // Most of the file holds values.
    #expect(held * 1_030 > Int(byteCount) * 6 / 10)
    #expect(fixture.store.statistics.evictedKeyCount == UInt64(count - held))
    for number in count - held / 2..<count {
      #expect(try same(fixture.store.retrieve(forKey: "\(number)"), pattern(1_000, number)))
    }
    try fixture.reopen()
    #expect(try fixture.store.count() == held)
    #expect(fixture.store.statistics.fileByteCount <= byteCount)
    #expect(fixture.disk.violations.first == nil)
  }
}
