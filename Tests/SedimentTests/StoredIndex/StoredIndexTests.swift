import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// The index as it is stored in the file, and opened from there.
struct StoredIndexTests {
  /// Sets so many keys, which begin with a word.
  private static func fill(
    _ store: some SedimentKeyspace, _ count: Int, _ word: String = "key", byteCount: Int = 40
  ) throws {
    let value = [UInt8](repeating: 7, count: byteCount)
    for number in 0..<count { try store.set(value, forKey: "\(word) \(number)") }
  }

  @Test(arguments: accesses)
  func `What was stored comes back without a scan, and only what followed is scanned`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    try Self.fill(fixture.store, 500)
    try Self.fill(fixture.store.collection("users"), 300)
    for number in 0..<100 { try fixture.store.remove(forKey: "key \(number)") }
    #expect(try fixture.store.storeIndex())
    #expect(fixture.store.statistics.storedIndexByteCount == 16_384)
    try Self.fill(fixture.store, 20, "later")
    try Self.fill(fixture.store, 110)
    try fixture.close()
    let report = try fixture.disk.expectSameIndex()
    #expect(report.storedCount == 700)
    #expect(!report.hasDead)
    // The change that adopts the part, 130 puts, a seal among them, the numbers.
    #expect(report.scannedRecordCount == 133)
    try fixture.open()
    #expect(fixture.store.recovery.storedKeyCount == 700)
    #expect(fixture.store.recovery.scannedRecordCount == 133)
    #expect(fixture.store.recovery.scannedByteCount == fixture.store.statistics.unstoredLogByteCount)
    #expect(try fixture.store.count() == 520)
    #expect(try fixture.store.collection("users").count() == 300)
    for number in 0..<500 { #expect(try fixture.store.contains("key \(number)")) }
  }

  @Test func `A close stores the index where that pays, and not again without changes`() throws {
    let fixture = try StoreFixture()
    try Self.fill(fixture.store, 4095, byteCount: 300)
    try fixture.reopen()
    #expect(fixture.store.recovery.storedKeyCount == 0)
    try fixture.store.set("1", forKey: "one more")
    try fixture.reopen()
    #expect(fixture.store.recovery.storedKeyCount == 4096)
    let parts = try fixture.disk.indexParts()
    #expect(fixture.store.statistics.storedIndexByteCount > 0)
    // Little followed.
    try fixture.store.set("2", forKey: "one more")
    try fixture.reopen()
    #expect(fixture.store.recovery.storedKeyCount == 4096)
    #expect(try fixture.disk.indexParts() == parts)
    let call = fixture.disk.calls.count
    try fixture.reopen()
    #expect(fixture.changes(since: call) == [.write])
  }

  @Test func `A close without mapped memory stores an index of any length, with a few reads`() throws {
    let fixture = try StoreFixture(.unmapped)
    let keyCount = 150_000
    let users = try fixture.store.collection("users")
    for first in stride(from: 0, to: keyCount, by: 1000) {
      try fixture.store.batch { batch in
        for number in first..<first + 1000 {
          batch.set("\(number)", forKey: "\(number)")
        }
      }
    }
    // What was cleared and what lies in another collection is told apart by the heads alone.
    for number in 0..<5000 { try users.set("\(number)", forKey: "\(number)") }
    try users.removeAll()
    for number in 0..<100 { try users.set("\(number)", forKey: "\(number)") }
    let call = fixture.disk.calls.count
    try fixture.close()
    // All of the file is read once, a MiB at a time, and cleared records are verified by a read each.
    #expect(fixture.count(.read, since: call) < fixture.contents.count >> 20 + 5000 + 10)
    let report = try fixture.disk.expectSameIndex()
    #expect(report.storedCount == keyCount + 100)
    fixture.options.readOnly = true
    try fixture.open()
    #expect(fixture.store.recovery.storedKeyCount == UInt64(keyCount + 100))
    #expect(fixture.store.recovery.scannedRecordCount < 10)
    #expect(try fixture.store.count() == keyCount)
    #expect(try fixture.store.retrieve(forKey: "77777") == Array("77777".utf8))
  }

  @Test func `Opening by a stored index looks at no record that it knows`() throws {
    let fixture = try StoreFixture(.unmapped)
    try Self.fill(fixture.store, 5000, byteCount: 1000)
    let place = try #require(fixture.contents.firstRange(of: Array("key 77".utf8)))
    try fixture.close()
    let call = fixture.disk.callCount
    try fixture.open()
    // Of five megabytes, of which a scan reads a quarter of one at a time.
    #expect(fixture.store.recovery.storedKeyCount == 5000)
    let headerCount = fixture.store.statistics.segmentCount
    #expect(fixture.count(.read, since: call) < headerCount + 20)
    try fixture.close()
    fixture.disk.overwrite([9], at: place.upperBound + 10, in: StoreFixture.path)
    try fixture.open()
    #expect(fixture.store.recovery.storedKeyCount == 5000)
    #expect(code { _ = try fixture.store.retrieve(forKey: "key 77") as [UInt8]? } == .damaged)
    try fixture.close()
    #expect(code { _ = try fixture.another { $0.storesIndex = false } } == .damaged)
  }

  @Test func `The option turns it off`() throws {
    let fixture = try StoreFixture()
    fixture.options.storesIndex = false
    try fixture.reopen()
    try Self.fill(fixture.store, 5000, byteCount: 300)
    try fixture.reopen()
    #expect(fixture.store.statistics.storedIndexByteCount == 0)
    #expect(try fixture.store.storeIndex())
    try fixture.reopen()
    #expect(fixture.store.recovery.storedKeyCount == 0)
    #expect(fixture.store.recovery.scannedRecordCount > 5000)
  }
}
