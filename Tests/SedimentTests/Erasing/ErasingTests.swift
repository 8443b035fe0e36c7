import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// What `compact(erasing:)` leaves of what was deleted: nothing.
@Suite struct ErasingTests {
  private static let secret = "the secret that was deleted"

  /// How often the secret is in the file.
  private static func secretCount(_ disk: SimulatedDisk) -> Int {
    SecretSearch.count(of: secret, in: disk.contents(of: StoreFixture.path) ?? [])
  }

  /// Sets 20,049 values with the secret in them, and other things, and deletes the former in every way there is.
  private static func fill(_ fixture: StoreFixture) throws {
    let store = fixture.store
    let users = try store.collection("users")
    let dropped = try store.collection("dropped: \(secret)")
    let cleared = try store.collection("cleared")
    for number in 0..<20_000 {
      let key = "\(number % 7 == 0 ? secret : "key") \(number)"
      let value = "\(number * 7919 % 100_003) \(secret) \(number)"
      switch number % 5 {
      case 0: try users.set(value, forKey: key)
      case 1: try dropped.set(value, forKey: key)
      case 2: try cleared.set(value, forKey: key)
      case 3:
        try store.set(value, forKey: key, expiry: .at(milliseconds: fixture.disk.wallClock() + 60_000))
      default: try store.set(value, forKey: key)
      }
      if number % 100 == 0 { fixture.scheduler.runDue() }
      if number % 50 == 0 { try store.set(pattern(300, number), forKey: "stays \(number)") }
    }
    for number in 0..<49 {
      let value = pattern(132_000 + number * 300, number) + Array(secret.utf8) + pattern(2_000)
      try store.set(value, forKey: "large \(number)")
    }
    for number in 0..<4 { try store.set(pattern(140_000, number), forKey: "large and stays \(number)") }
    for number in 0..<20_000 {
      let key = "\(number % 7 == 0 ? secret : "key") \(number)"
      switch number % 5 {
      case 0: try users.remove(forKey: key)
      case 4: if number % 2 == 0 { try store.remove(forKey: key) } else { try store.set("new", forKey: key) }
      default: break
      }
    }
    for number in 0..<49 { try store.remove(forKey: "large \(number)") }
    try store.dropCollection("dropped: \(secret)")
    try cleared.removeAll()
    // Keys that stay may not have the secret themselves.
    for key in try store.keys() where SecretSearch.count(of: secret, in: key) > 0 {
      if try store.expiry(forKey: key) == .never { try store.remove(forKey: key) }
    }
    fixture.disk.advanceClocks(by: .seconds(61))
  }

  @Test(arguments: [SedimentOptions.Access.automatic, .unmapped], [SedimentCompression.automatic])
  func `No byte of what was removed, replaced or dropped or has expired is in the file`(
    access: SedimentOptions.Access, compression: SedimentCompression
  ) throws {
    let fixture = try StoreFixture(access, compaction: .manual, compression: compression)
    try Self.fill(fixture)
    try fixture.store.storeIndex()
    try fixture.store.sync()
    let before = try contents(of: fixture.store)
    #expect(Self.secretCount(fixture.disk) > 100)
    if compression == .automatic { #expect(fixture.store.statistics.dictionaryCount > 0) }
    try fixture.store.compact(erasing: true)
    #expect(Self.secretCount(fixture.disk) == 0)
    #expect(fixture.disk.crashState.units.allSatisfy { $0.subject != StoreFixture.path })
    #expect(fixture.store.accountFindings() == [])
    #expect(fixture.disk.violations.first == nil)
    #expect(try contents(of: fixture.store) == before)
    try fixture.reopen()
    #expect(Self.secretCount(fixture.disk) == 0)
    #expect(try contents(of: fixture.store) == before)
    try fixture.close()
    #expect(try SedimentStore.verify(path: StoreFixture.path, on: fixture.disk).findings == [])
  }

  @Test(arguments: [nil, 24 << 20] as [UInt64?])
  func `A large value that found no row of free slots leaves the file no longer`(cap: UInt64?) throws {
    let fixture = try StoreFixture(compaction: .manual)
    for number in 0..<200 {
      try fixture.store.set(
        pattern(15_000, number), forKey: "\(number)",
        expiry: .at(milliseconds: fixture.disk.wallClock() + 60_000))
    }
    try fixture.store.set(pattern(6_500_000), forKey: "large")
    try fixture.close()
    fixture.options.capacity = .limited(cap)
    try fixture.open()
    fixture.disk.advanceClocks(by: .seconds(61))
    try fixture.store.compact(erasing: true)
    let slotCount = fixture.store.statistics.fileByteCount >> 14
    #expect(slotCount < 500)
    try fixture.store.compact()
    #expect(fixture.store.statistics.fileByteCount >> 14 == slotCount)
    #expect(try same(fixture.store.retrieve(forKey: "large"), pattern(6_500_000)))
  }

  @Test func `What lay in free slots before, and after the end of the store, is gone as well`() throws {
    let fixture = try StoreFixture(compaction: .manual)
    for number in 0..<200 { try fixture.store.set(pattern(3_000, number), forKey: "\(number)") }
    // With some KiB after it in its last slot.
    try fixture.store.set(pattern(160_000), forKey: "large")
    try fixture.close()
    // An earlier version has left free slots as they were, the end of a large value among them, and somebody a longer file.
    let report = try SedimentStore.verify(path: StoreFixture.path, on: fixture.disk)
    let extent = try #require(report.segments.first { $0.kind == .extent })
    let file = try fixture.disk.open(StoreFixture.path, .readWrite)
    let secret = Array(Self.secret.utf8)
    let slotEnd = (extent.range.upperBound + 16_383) / 16_384 * 16_384
    try file.write(unsafe secret.span.bytes, at: slotEnd - UInt64(secret.count))
    let end = try file.byteCount()
    for number in 0..<40 { try file.write(unsafe secret.span.bytes, at: end + UInt64(number) * 10_000) }
    try file.close()
    try fixture.open()
    let before = try contents(of: fixture.store)
    #expect(Self.secretCount(fixture.disk) == 41)
    try fixture.store.compact(erasing: true)
    #expect(Self.secretCount(fixture.disk) == 0)
    #expect(try contents(of: fixture.store) == before)
  }

  @Test func `It waits for who reads what is to be erased, and says so to a closure of its own thread`()
    throws
  {
    let fixture = try StoreFixture(compaction: .manual)
    for number in 0..<200 { try fixture.store.set(pattern(3_000, number), forKey: "\(number)") }
    try fixture.store.set(Self.secret, forKey: "secret")
    let key = Array("secret".utf8)
    var pin: PinnedValue? = try fixture.store.pin(unsafe key.span.bytes)
    try fixture.store.remove(forKey: "secret")
    var askCount = 0
    let stopped = code {
      try fixture.store.compact(erasing: true) { _ in
        askCount += 1
        return askCount > 20 ? .stop : .continue
      }
    }
    #expect(stopped == .cancelled)
    let pinned = try unsafe [UInt8](#require(pin).bytes)
    #expect(SecretSearch.count(of: Self.secret, in: pinned) == 1)
    try fixture.store.withValue(forKey: "0") { _ in
      #expect(code { try fixture.store.compact(erasing: true) } == .invalidArgument)
    }
    pin = nil
    try fixture.store.compact(erasing: true)
    #expect(Self.secretCount(fixture.disk) == 0)
  }

  @Test func `A power failure in the middle leaves a sound store, and another call finishes`() throws {
    let fixture = try StoreFixture(compaction: .manual, compression: .automatic)
    for number in 0..<60 { try fixture.store.set(pattern(1_500, number), forKey: "stays \(number)") }
    for number in 0..<150 {
      try fixture.store.set("\(Self.secret) \(number)", forKey: "\(Self.secret) \(number)")
    }
    try fixture.store.set(pattern(140_000) + Array(Self.secret.utf8), forKey: "large")
    try fixture.store.set(pattern(150_000), forKey: "large")
    for number in 0..<150 { try fixture.store.remove(forKey: "\(Self.secret) \(number)") }
    try fixture.store.sync()
    let before = try contents(of: fixture.store)
    fixture.disk.trimHistory()
    try fixture.store.compact(erasing: true)
    var plans = CrashPlanOptions(exhaustiveCountMax: 0, randomCount: 2, granularity: .sector)
    plans.countMax = 2
    for state in fixture.disk.history where state.point % 7 == 0 {
      for choice in state.plans(plans, seed: UInt64(state.point)) {
        let disk = state.afterPowerLoss(choice)
        let store = try StoreFixture.opened(StoreFixture.path, on: disk)
        #expect(try contents(of: store) == before, "crash point \(state.point)")
        try store.compact(erasing: true)
        #expect(Self.secretCount(disk) == 0, "crash point \(state.point)")
        #expect(try contents(of: store) == before, "crash point \(state.point)")
        try store.close()
        #expect(try SedimentStore.verify(path: StoreFixture.path, on: disk).findings == [])
      }
    }
  }
}
