import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Copies of the live records of stores that are open.
@Suite struct LiveBackupTests {
  private static let secret = "the secret that was deleted"

  /// How often the secret is in a file.
  private static func secretCount(_ disk: SimulatedDisk, _ path: String) -> Int {
    SecretSearch.count(of: secret, in: disk.contents(of: path) ?? [])
  }

  @Test(arguments: [SedimentOptions.Access.automatic, .unmapped], [SedimentCompression.automatic])
  func `It has what lives, and no byte of what was deleted`(
    access: SedimentOptions.Access, compression: SedimentCompression
  ) throws {
    let fixture = try StoreFixture(access, compaction: .manual, compression: compression)
    let store = fixture.store
    for number in 0..<600 { try store.set("\(Self.secret) \(number)", forKey: "\(Self.secret) \(number)") }
    for number in 0..<600 { try store.remove(forKey: "\(Self.secret) \(number)") }
    try store.set(Array(String(repeating: Self.secret, count: 8_000).utf8), forKey: "replaced")
    try store.set(pattern(140_000), forKey: "replaced")
    let users = try store.collection("users")
    try users.set(Self.secret, forKey: "gone", expiry: .at(milliseconds: fixture.disk.wallClock() + 1))
    try users.set("Ada", forKey: "stays", expiry: .at(milliseconds: 1 << 44))
    try store.collection(Self.secret).set(Self.secret, forKey: "1")
    try store.dropCollection(Self.secret)
    _ = try store.collection("empty")
    for number in 0..<3 {
      try store.set(pattern(140_000 + number * 9_000, number), forKey: "large \(number)")
    }
    try store.set([UInt8](repeating: 0, count: 3 << 20), forKey: "zeros")
    fixture.disk.advanceClocks(by: .seconds(1))
    #expect(Self.secretCount(fixture.disk, StoreFixture.path) > 0)
    let zeros = try #require(try store.retrieve(forKey: "zeros"))
    try store.backupLiveRecords(to: BackupTests.copy)
    #expect(BackupTests.leftovers(fixture.disk) == [])
    #expect(fixture.disk.crashState.units.allSatisfy { $0.subject != BackupTests.copy })
    #expect(Self.secretCount(fixture.disk, BackupTests.copy) == 0)
    let copy = try StoreFixture.opened(BackupTests.copy, on: fixture.disk)
    #expect(copy.recovery.wasClosed)
    #expect(copy.collectionNames == ["empty", "users"])
    #expect(try same(copy.retrieve(forKey: "zeros"), zeros))
    try copy.close()
    // Texts of a long value take a debug build long.
    try store.remove(forKey: "zeros")
    try fixture.disk.remove(BackupTests.copy)
    let before = try contents(of: store)
    try store.backupLiveRecords(to: BackupTests.copy)
    let again = try StoreFixture.opened(BackupTests.copy, on: fixture.disk)
    #expect(try contents(of: again) == before)
    #expect(try again.collection("users").expiry(forKey: "stays") == .at(milliseconds: 1 << 44))
    try again.close()
    #expect(try SedimentStore.verify(path: BackupTests.copy, on: fixture.disk).findings == [])
  }

  @Test func `It is the store after one change, whatever others do meanwhile`() throws {
    let fixture = try StoreFixture(compaction: .manual)
    for number in 0..<2_000 { try fixture.store.set(pattern(300, number), forKey: "\(number)") }
    let before = try contents(of: fixture.store)
    var stepCount = 0
    try fixture.store.backupLiveRecords(to: BackupTests.copy) { _ in
      stepCount += 1
      #expect(throws: Never.self) {
        for number in 0..<50 { try fixture.store.set("\(stepCount)", forKey: "\(number * 37)") }
        for number in 0..<50 { try fixture.store.remove(forKey: "\(number * 31)") }
        try fixture.store.compact()
      }
      return .continue
    }
    #expect(stepCount > 2)
    #expect(fixture.store.pinnedGenerationCount == 0)
    #expect(try contents(of: StoreFixture.opened(BackupTests.copy, on: fixture.disk)) == before)
  }

  @Test func `Stopped, refused or damaged, it leaves no file`() throws {
    let fixture = try StoreFixture(compaction: .manual)
    for number in 0..<300 { try fixture.store.set(pattern(3_000, number), forKey: "\(number)") }
    try fixture.store.sync()
    var count = 0
    #expect(
      code {
        try fixture.store.backupLiveRecords(to: BackupTests.copy) { _ in
          count += 1
          return count > 2 ? .stop : .continue
        }
      } == .cancelled)
    #expect(fixture.disk.paths == [StoreFixture.path])
    let record = try #require(fixture.contents.firstRange(of: pattern(3_000, 7)))
    fixture.disk.flipBit(0, ofByte: record.lowerBound, in: StoreFixture.path)
    #expect(code { try fixture.store.backupLiveRecords(to: BackupTests.copy) } == .damaged)
    #expect(fixture.disk.paths == [StoreFixture.path])
    #expect(fixture.store.pinnedGenerationCount == 0)
    fixture.disk.install([1], at: BackupTests.copy)
    #expect(code { try fixture.store.backupLiveRecords(to: BackupTests.copy) } == .exists)
    #expect(fixture.disk.contents(of: BackupTests.copy) == [1])
  }
}
