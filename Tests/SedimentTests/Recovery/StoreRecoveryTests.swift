import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// What an opening after a crash finds, does and reports.
struct StoreRecoveryTests {
  /// The bytes of a record of the store's own keys.
  private static func record(_ key: Int, _ value: Int) -> UInt64 {
    UInt64((16 + key + value + 7) & ~7)
  }

  @Test(arguments: accesses)
  func `A process that died loses nothing, and the report says what was read`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    for number in 0..<20 { try fixture.store.set(pattern(100), forKey: "\(number % 10)") }
    try fixture.store.remove(forKey: "0")
    let written = fixture.store.statistics
    let after = try StoreFixture(access, on: fixture.disk.afterProcessDeath())
    let report = after.store.recovery
    #expect(!report.wasClosed)
    #expect(report.isDurable)
    // The checkpoint, the sets and the removal.
    #expect(report.replayedRecordCount == 22)
    #expect(report.replayedByteCount == written.writtenByteCount + 240)
    #expect(report.scannedRecordCount >= 22)
    #expect(report.scannedByteCount >= report.replayedByteCount)
    // Slots 0 and 1, the segment's header, the checkpoint, then what was written.
    let end = 2 * 16_384 + 128 + 240 + written.writtenByteCount
    #expect(report.cut?.offset == end)
    #expect(report.cut?.reason?.isEmpty == false)
    #expect(try after.store.count() == 9)
  }

  @Test(arguments: accesses)
  func `A torn tail is cut where it is torn, and what came before is whole`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    for number in 0..<20 { try fixture.store.set(pattern(100, number), forKey: "\(number)") }
    for torn in [0, 7, 19] {
      let disk = fixture.disk.afterProcessDeath()
      let contents = try #require(disk.contents(of: StoreFixture.path))
      let value = pattern(100, torn)
      let place = try #require(contents.indices.first { contents[$0...].starts(with: value) })
      disk.flipBit(5, ofByte: place + 50, in: StoreFixture.path)
      let after = try StoreFixture(access, on: disk)
      let keyLength = "\(torn)".utf8.count
      #expect(after.store.recovery.cut?.offset == UInt64(place - keyLength - 16))
      #expect(try after.store.count() == torn)
      for number in 0..<torn {
        #expect(try after.store.retrieve(forKey: "\(number)") == pattern(100, number))
      }
      // Nothing of what was cut comes back, whatever is written now.
      for number in 0..<20 { try after.store.set("new", forKey: "new \(number)") }
      try after.reopen()
      #expect(after.store.recovery.wasClosed)
      #expect(try after.store.count() == torn + 20)
    }
  }

  @Test(arguments: accesses)
  func `Recovery that is interrupted again and again loses nothing`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    for number in 0..<50 { try fixture.store.set(pattern(300, number), forKey: "\(number)") }
    try fixture.store.sync()
    var disk = fixture.disk.afterPowerLoss(.nothing)
    for round in 0..<10 {
      // Each opening dies before it can close; every other one after a change.
      let after = try StoreFixture(access, on: disk)
      try #require(after.store.count() == 50)
      if round % 2 == 0 { try after.store.set(pattern(300, 49), forKey: "49") }
      disk = round % 3 == 0 ? disk.afterPowerLoss(.everything) : disk.afterProcessDeath()
    }
    let after = try StoreFixture(access, on: disk)
    for number in 0..<50 { #expect(try after.store.retrieve(forKey: "\(number)") == pattern(300, number)) }
  }

  @Test func `After a checkpoint recovery begins there`() throws {
    let fixture = try StoreFixture()
    for number in 0..<500 { try fixture.store.set(pattern(100), forKey: "\(number)") }
    try fixture.store.checkpoint()
    try fixture.store.set("late", forKey: "key")
    let after = try StoreFixture(on: fixture.disk.afterProcessDeath())
    // The checkpoint's part, a mark behind it, and the set.
    #expect(after.store.recovery.replayedRecordCount == 3)
    #expect(after.store.recovery.scannedRecordCount > 500)
    #expect(try after.store.count() == 501)
  }

  @Test func `The time that recovery took is told`() throws {
    let directory = try StoreDirectory()
    let store = try SedimentStore(path: directory["store"])
    #expect(store.recovery.durationNanoseconds > 0)
    try store.close()
  }
}
