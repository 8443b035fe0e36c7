import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// The figures of small histories, to the byte.
struct StoreStatisticsTests {
  /// The bytes of a record of the store's own keys that does not expire, and of one in a collection.
  private static func record(_ key: Int, _ value: Int, inCollection: Bool = false) -> UInt64 {
    UInt64((16 + (inCollection ? 4 : 0) + key + value + 7) & ~7)
  }

  /// A file of three slots, of which one is the log's first segment, with one record: the checkpoint.
  @Test(arguments: accesses)
  func `A new store has a segment with a checkpoint and nothing else`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    let figures = fixture.store.statistics
    #expect(figures.liveKeyCount == 0)
    #expect(figures.fileByteCount == 3 * 16_384)
    #expect(figures.liveByteCount == 0)
    // The record's 16 bytes, its own 8, the numbers' 128 and the segment's 88.
    #expect(figures.deadByteCount == 16 + 8 + 128 + 88)
    #expect(figures.freeByteCount == 0)
    #expect(figures.segmentCount == 1)
    #expect(figures.collectionCount == 0)
    #expect(figures.userByteCount == 0)
    #expect(figures.writtenByteCount == 0)
    #expect(figures.syncCount == 0)
    #expect(figures.sequence == 1)
  }

  @Test(arguments: accesses)
  func `Each change counts with its bytes`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    let new = store.statistics
    var (live, written, user) = (0 as UInt64, 0 as UInt64, 0 as UInt64)
    func check(_ keyCount: Int, sequence: UInt64, _ comment: Comment) {
      let figures = store.statistics
      #expect(figures.liveKeyCount == keyCount, comment)
      #expect(figures.liveByteCount == live, comment)
      #expect(figures.writtenByteCount == written, comment)
      #expect(figures.userByteCount == user, comment)
      #expect(figures.sequence == sequence, comment)
      #expect(figures.deadByteCount == new.deadByteCount + written - live, comment)
    }
    try store.set(pattern(5), forKey: "a")
    live += Self.record(1, 5)
    written += Self.record(1, 5)
    user += 6
    check(1, sequence: 2, "a set")
    try store.set(pattern(100), forKey: "b")
    live += Self.record(1, 100)
    written += Self.record(1, 100)
    user += 101
    check(2, sequence: 3, "another set")
    try store.set(pattern(10), forKey: "a")
    live += Self.record(1, 10) - Self.record(1, 5)
    written += Self.record(1, 10)
    user += 11
    check(2, sequence: 4, "a set again")
    #expect(try store.remove(forKey: "b"))
    live -= Self.record(1, 100)
    written += Self.record(1, 0)
    check(1, sequence: 5, "a removal")
    #expect(try !store.remove(forKey: "b"))
    #expect(try !store.setIfAbsent("", forKey: "a"))
    check(1, sequence: 5, "what changes nothing")
    let users = try store.collection("users")
    // The record's 16 bytes, the change's 8, the entry's 16 with 5 of a name, in whole words.
    written += 16 + 8 + 24
    check(1, sequence: 6, "a collection")
    try users.set(pattern(3), forKey: "c", expiry: .at(milliseconds: 1 << 47))
    live += (16 + 4 + 6 + 1 + 3 + 7) & ~7
    written += (16 + 4 + 6 + 1 + 3 + 7) & ~7
    user += 4
    check(2, sequence: 7, "a set in a collection, with an expiry")
    try store.batch { batch in
      batch.set(pattern(20), forKey: "d")
      batch.remove(forKey: "a")
    }
    live += Self.record(1, 20) - Self.record(1, 10)
    // Two members and a commit of 16 bytes.
    written += Self.record(1, 20) + Self.record(1, 0) + 32
    user += 22
    check(2, sequence: 10, "a batch")
    try store.removeEverything()
    live = 0
    written += 16 + 8 + 8
    check(0, sequence: 11, "removing everything")
    #expect(store.statistics.segmentCount == 1)
    #expect(store.statistics.collectionCount == 1)
  }

  @Test(arguments: accesses)
  func `The figures last over reopening`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let users = try fixture.store.collection("users")
    for number in 0..<300 {
      try fixture.store.set(pattern(200, number), forKey: "\(number % 100)")
      try users.set(pattern(20, number), forKey: "\(number)", expiry: .at(milliseconds: 1 << 47))
    }
    for number in 0..<50 { try fixture.store.remove(forKey: "\(number)") }
    let before = fixture.store.statistics
    for isClean in [true, false] {
      let after: SedimentStatistics
      if isClean {
        try fixture.reopen()
        after = fixture.store.statistics
      } else {
        after = try StoreFixture(access, on: fixture.disk.afterProcessDeath()).store.statistics
      }
      #expect(after.liveKeyCount == 350)
      #expect(after.liveKeyCount == before.liveKeyCount)
      #expect(after.liveByteCount == before.liveByteCount)
      #expect(after.collectionCount == 1)
      // What was written since the file was made is said by a close and by checkpoints.
      if isClean {
        #expect(after.userByteCount == before.userByteCount)
        #expect(after.writtenByteCount >= before.writtenByteCount)
      }
      #expect(after.sequence > before.sequence)
      #expect(after.syncCount == 0)
    }
  }

  @Test func `A large value takes slots of its own, and a record`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("", forKey: "first")
    let before = fixture.store.statistics
    // In whole slots but for 128 bytes of header, 4 of a checksum for each MiB, and 8 left.
    let count = 13 * 16_384 - 140
    try fixture.store.set(pattern(count), forKey: "key")
    let after = fixture.store.statistics
    #expect(after.segmentCount == before.segmentCount + 1)
    #expect(after.userByteCount == before.userByteCount + UInt64(count) + 3)
    // The value of the record: 16 bytes and 40 for the piece.
    #expect(after.liveByteCount == before.liveByteCount + Self.record(3, 56))
  }

  @Test func `Syncs are counted for an opening`() throws {
    let fixture = try StoreFixture()
    for number in 0..<5 {
      #expect(fixture.store.statistics.syncCount == UInt64(number))
      try fixture.store.set("value", forKey: "key", durability: .synced)
    }
    try fixture.store.sync()
    #expect(fixture.store.statistics.syncCount == 5)
  }

  @Test func `The index's memory is told, and no more than 14 bytes a key while it grows`() throws {
    let fixture = try StoreFixture()
    let count = 30_000
    for number in 0..<count { try fixture.store.set("", forKey: "\(number)") }
    let byteCount = fixture.store.statistics.indexByteCount
    #expect(byteCount > 8 * count)
    #expect(byteCount < 14 * count + (64 << 10))
  }

  @Test func `Figures are comparable, and begin at zero`() {
    var figures = SedimentStatistics()
    #expect(figures == SedimentStatistics())
    figures.liveKeyCount = 1
    #expect(figures != SedimentStatistics())
    #expect(Set([figures, figures]).count == 1)
  }
}
