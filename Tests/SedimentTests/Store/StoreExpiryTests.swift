import FoundationEssentials
import Sediment
import SedimentSupport
import SedimentTesting
import Testing

/// Values that cease to be there.
struct StoreExpiryTests {
  private static let start: UInt64 = 1_700_000_000_000

  @Test(arguments: accesses)
  func `A value is there until its time, and not from then on`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    for count in [5, 200_000] {
      fixture.disk.setWallClock(to: Self.start)
      try store.set(pattern(count), forKey: "key", expiresIn: .milliseconds(10))
      try store.set("for ever", forKey: "another")
      fixture.disk.advanceClocks(by: .milliseconds(9))
      #expect(try same(store.retrieve(forKey: "key"), pattern(count)))
      #expect(try store.count() == 2)
      fixture.disk.advanceClocks(by: .milliseconds(1))
      #expect(try store.retrieve(forKey: "key") == nil)
      #expect(try store.retrieve(forKeys: ["key", "another"]).map { $0 == nil } == [true, false])
      #expect(try store.withValue(forKey: "key") { _ in } == nil)
      #expect(try !store.contains("key"))
      #expect(try store.expiry(forKey: "key") == nil)
      #expect(try store.count() == 1)
      #expect(try store.keys() == [Array("another".utf8)])
      var visited = 0
      try store.forEach { _, _ in
        visited += 1
        return .continue
      }
      #expect(visited == 1)
    }
  }

  @Test(arguments: accesses)
  func `An expiry lasts over reopening`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    try fixture.store.set("value", forKey: "key", expiresIn: .seconds(10))
    try fixture.store.set("other", forKey: "long", expiresIn: .seconds(20))
    try fixture.reopen()
    #expect(try fixture.store.expiry(forKey: "key") == .at(milliseconds: Self.start + 10_000))
    #expect(try fixture.store.count() == 2)
    fixture.disk.advanceClocks(by: .seconds(10))
    #expect(try fixture.store.count() == 1)
    try fixture.reopen()
    #expect(try !fixture.store.contains("key"))
    #expect(try fixture.store.count() == 1)
    #expect(try fixture.store.keys() == [Array("long".utf8)])
  }

  /// What is asked for, and what is then told.
  private static let expiries: [(SedimentExpiry, SedimentExpiry?)] = [
    (.never, .never),
    (.after(.milliseconds(1)), .at(milliseconds: start + 1)),
    (.after(.microseconds(1)), .at(milliseconds: start + 1)),
    (.after(.nanoseconds(1_000_001)), .at(milliseconds: start + 2)),
    (.after(.seconds(3_600)), .at(milliseconds: start + 3_600_000)),
    (.after(.zero), nil),
    (.after(.seconds(-5)), nil),
    (.after(.milliseconds(-1)), nil),
    (.at(milliseconds: start + 1), .at(milliseconds: start + 1)),
    (.at(milliseconds: start), nil),
    (.at(milliseconds: 0), nil),
    (.at(milliseconds: (1 << 48) - 1), .at(milliseconds: (1 << 48) - 1)),
    (.at(milliseconds: 1 << 48), .at(milliseconds: (1 << 48) - 1)),
    (.at(milliseconds: .max), .at(milliseconds: (1 << 48) - 1)),
    (.unchanged, .never),
    (.at(Date(timeIntervalSince1970: 1_700_000_000.0015)), .at(milliseconds: start + 2)),
    (.at(Date(timeIntervalSince1970: -1)), nil),
    (.at(Date.distantFuture), .at(milliseconds: 64_092_211_200_000)),
  ]

  @Test(arguments: expiries)
  func `An expiry is absolute, in milliseconds, rounded up and capped`(
    asked: SedimentExpiry, told: SedimentExpiry?
  ) throws {
    let fixture = try StoreFixture()
    try fixture.store.set("value", forKey: "key", expiry: asked)
    #expect(try fixture.store.expiry(forKey: "key") == told)
    #expect(try fixture.store.contains("key") == (told != nil))
    #expect(try fixture.store.count() == (told == nil ? 0 : 1))
  }

  @Test func `A duration beyond all clocks is a time that never comes`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("value", forKey: "key", expiresIn: .seconds(Int64.max))
    fixture.disk.advanceClocks(by: .seconds(400 * 365 * 86_400))
    #expect(try fixture.store.contains("key"))
  }

  @Test(arguments: accesses)
  func `Setting drops the expiry before, unless it is asked to keep it`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    let time = SedimentExpiry.at(milliseconds: Self.start + 5_000)
    for count in [3, 140_000] {
      try store.set(pattern(count), forKey: "key", expiry: time)
      try store.set(pattern(count, 1), forKey: "key", expiry: .unchanged)
      #expect(try store.expiry(forKey: "key") == time)
      #expect(try same(store.retrieve(forKey: "key"), pattern(count, 1)))
      try store.set(pattern(count, 2), forKey: "key")
      #expect(try store.expiry(forKey: "key") == .never)
      try store.set(pattern(count, 3), forKey: "key", expiry: .unchanged)
      #expect(try store.expiry(forKey: "key") == .never)
    }
  }

  @Test func `What expired leaves no expiry to be kept`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("old", forKey: "key", expiresIn: .milliseconds(5))
    fixture.disk.advanceClocks(by: .milliseconds(5))
    try fixture.store.set("new", forKey: "key", expiry: .unchanged)
    #expect(try fixture.store.expiry(forKey: "key") == .never)
  }

  @Test func `Updates and exchanges keep the expiry unless another is said`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let time = SedimentExpiry.at(milliseconds: Self.start + 5_000)
    try store.set([1] as [UInt8], forKey: "key", expiry: time)
    try store.update(forKey: "key") { _ in [2] }
    #expect(try store.expiry(forKey: "key") == time)
    try store.compareAndSet(forKey: "key", expected: [2], new: [3])
    #expect(try store.expiry(forKey: "key") == time)
    try store.update(forKey: "key", expiry: .after(.seconds(1))) { _ in [4] }
    #expect(try store.expiry(forKey: "key") == .at(milliseconds: Self.start + 1_000))
    try store.compareAndSet(forKey: "key", expected: [4], new: [5], expiry: .never)
    #expect(try store.expiry(forKey: "key") == .never)
    #expect(try store.retrieve(forKey: "key") == [5])
  }

  @Test(arguments: accesses)
  func `The expiry alone is changed`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    #expect(try !store.setExpiry(.after(.seconds(1)), forKey: "key"))
    #expect(try !store.setExpiry(.unchanged, forKey: "key"))
    for count in [4, 150_000] {
      fixture.disk.setWallClock(to: Self.start)
      try store.set(pattern(count), forKey: "key")
      #expect(try store.setExpiry(.after(.seconds(1)), forKey: "key"))
      #expect(try store.expiry(forKey: "key") == .at(milliseconds: Self.start + 1_000))
      #expect(try store.setExpiry(.unchanged, forKey: "key"))
      #expect(try store.expiry(forKey: "key") == .at(milliseconds: Self.start + 1_000))
      #expect(try store.setExpiry(.never, forKey: "key"))
      #expect(try store.expiry(forKey: "key") == .never)
      #expect(try store.setExpiry(.at(milliseconds: Self.start + 2), forKey: "key"))
      #expect(try same(store.retrieve(forKey: "key"), pattern(count)))
      fixture.disk.advanceClocks(by: .milliseconds(2))
      #expect(try !store.setExpiry(.never, forKey: "key"))
      #expect(try !store.contains("key"))
    }
  }

  @Test func `What expired counts as absent for conditional changes`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    let makers: [(String) throws -> Bool] = [
      { try store.setIfAbsent("new", forKey: $0) },
      { try store.compareAndSet(forKey: $0, expected: nil, new: Array("new".utf8)) },
      { key in
        try store.update(forKey: key) { old in old == nil ? Array("new".utf8) : nil }
        return true
      },
    ]
    for (number, make) in makers.enumerated() {
      try store.set("old", forKey: "\(number)", expiresIn: .milliseconds(5))
      #expect(try !store.setIfAbsent("early", forKey: "\(number)"))
      fixture.disk.advanceClocks(by: .milliseconds(5))
      #expect(try !store.remove(forKey: "absent"))
      #expect(try make("\(number)"))
      #expect(try store.retrieve(forKey: "\(number)", as: String.self) == "new")
      #expect(try store.expiry(forKey: "\(number)") == .never)
    }
    try fixture.reopen()
    #expect(try fixture.store.count() == makers.count)
  }

  @Test func `A key can be set if absent with an expiry, and in a batch`() throws {
    let fixture = try StoreFixture()
    #expect(try fixture.store.setIfAbsent("1", forKey: "a", expiry: .after(.seconds(1))))
    try fixture.store.batch { $0.set("2", forKey: "b", expiresIn: .seconds(2)) }
    #expect(try fixture.store.expiry(forKey: "a") == .at(milliseconds: Self.start + 1_000))
    #expect(try fixture.store.expiry(forKey: "b") == .at(milliseconds: Self.start + 2_000))
    fixture.disk.advanceClocks(by: .milliseconds(1_500))
    #expect(try fixture.store.keys() == [Array("b".utf8)])
  }

  // MARK: Clocks that jump

  @Test(arguments: accesses)
  func `A clock that jumps ahead and comes back deletes nothing`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    try fixture.store.set("value", forKey: "key", expiresIn: .seconds(60))
    fixture.disk.setWallClock(to: Self.start + 86_400_000)
    #expect(try !fixture.store.contains("key"))
    try fixture.store.sync()
    try fixture.reopen()
    #expect(try fixture.store.count() == 0)
    fixture.disk.setWallClock(to: Self.start)
    #expect(try fixture.store.retrieve(forKey: "key", as: String.self) == "value")
    #expect(try fixture.store.count() == 1)
    try fixture.reopen()
    #expect(try fixture.store.contains("key"))
  }

  @Test(arguments: accesses)
  func `A key removed after it expired stays away when the clock goes back`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    try fixture.store.set("value", forKey: "key", expiresIn: .seconds(60))
    fixture.disk.setWallClock(to: Self.start + 60_000)
    #expect(try !fixture.store.remove(forKey: "key"))
    fixture.disk.setWallClock(to: Self.start)
    for _ in 0..<2 {
      #expect(try !fixture.store.contains("key"))
      #expect(try fixture.store.count() == 0)
      try fixture.reopen()
    }
  }

  @Test(arguments: accesses)
  func `An older version with a longer life does not come back`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    try fixture.store.set("older", forKey: "key")
    try fixture.store.set("newer", forKey: "key", expiresIn: .seconds(1))
    fixture.disk.advanceClocks(by: .seconds(2))
    for _ in 0..<2 {
      #expect(try fixture.store.retrieve(forKey: "key") == nil)
      #expect(try fixture.store.keys() == [])
      #expect(try fixture.store.count() == 0)
      try fixture.reopen()
    }
  }

  @Test func `A clock before a value was set shows it all the same`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("value", forKey: "key", expiresIn: .seconds(1))
    fixture.disk.setWallClock(to: 0)
    #expect(try fixture.store.contains("key"))
    try fixture.store.set("second", forKey: "key", expiresIn: .milliseconds(7))
    #expect(try fixture.store.expiry(forKey: "key") == .at(milliseconds: 7))
  }
}
