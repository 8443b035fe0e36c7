import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// What reading does about bytes that rotted.
struct StoreVerificationTests {
  private static let key = "the key"

  /// Where a value of no other key's bytes lies in the file.
  private static func place(of value: [UInt8], in fixture: StoreFixture) throws -> Int {
    let contents = fixture.contents
    let length = min(value.count, 64)
    let place = contents.indices.dropLast(length).first { start in
      contents[start] == value[0] && contents[start..<start + length] == value[..<length]
    }
    return try #require(place)
  }

  /// A store in which one bit of a value of the key is wrong, and the place of the value.
  private static func damaged(
    _ access: SedimentOptions.Access, verifiesReads: Bool = true, byteCount: Int = 40
  ) throws -> (StoreFixture, Int) {
    let fixture = try StoreFixture(access, isObserved: true)
    try fixture.close()
    fixture.options.verifiesReads = verifiesReads
    try fixture.open()
    try fixture.store.set("before", forKey: "another")
    try fixture.store.set(pattern(byteCount), forKey: key)
    try fixture.store.set("after", forKey: "a third")
    let place = try place(of: pattern(byteCount), in: fixture)
    fixture.disk.flipBit(3, ofByte: place + byteCount - 1, in: StoreFixture.path)
    return (fixture, place)
  }

  @Test(arguments: accesses)
  func `Every form of reading says where a damaged record is`(access: SedimentOptions.Access) throws {
    let (fixture, place) = try Self.damaged(access)
    let store = fixture.store
    let key = Self.key
    var buffer: [UInt8] = []
    let readings: [() throws -> Void] = [
      { _ = try store.retrieve(forKey: key) },
      { _ = try store.retrieve(forKey: key, as: String.self) },
      { _ = try store.retrieve(forKey: key, into: &buffer) },
      { _ = try store.withValue(forKey: key) { $0.byteCount } },
      { _ = try store.retrieve(forKeys: ["another", key]) },
      { _ = try store.withValues(forKeys: [key]) { _, _ in } },
      { _ = try store.contains(key) },
      { _ = try store.expiry(forKey: key) },
      { try store.forEach { _, _ in .continue } },
      { _ = try store.keys(withPrefix: "no such") },
      { try store.update(forKey: key) { _ in [] } },
      { try store.compareAndSet(forKey: key, expected: nil, new: []) },
      { try store.setIfAbsent("", forKey: key) },
    ]
    for (number, reading) in readings.enumerated() {
      let error = #expect(throws: SedimentError.self, "reading \(number)") { try reading() }
      #expect(error?.code == .damaged)
      #expect(error?.offset == UInt64(place - key.utf8.count - 16))
      #expect(error?.systemError == nil)
    }
    fixture.scheduler.runDue()
    #expect(fixture.events.count("failed: damaged") == readings.count)
  }

  @Test(arguments: accesses)
  func `Other keys are read beside a damaged one`(access: SedimentOptions.Access) throws {
    let (fixture, _) = try Self.damaged(access)
    #expect(try fixture.store.retrieve(forKey: "another", as: String.self) == "before")
    #expect(try fixture.store.retrieve(forKey: "a third", as: String.self) == "after")
    #expect(try fixture.store.retrieve(forKey: "absent") == nil)
    #expect(try fixture.store.count() == 3)
  }

  @Test(arguments: accesses)
  func `A damaged key that is set again is well again`(access: SedimentOptions.Access) throws {
    let (fixture, _) = try Self.damaged(access)
    try fixture.store.set("new", forKey: Self.key)
    #expect(try fixture.store.retrieve(forKey: Self.key, as: String.self) == "new")
    #expect(try fixture.store.keys().count == 3)
    #expect(try fixture.store.count() == 3)
  }

  @Test(arguments: accesses)
  func `A damaged key can be removed`(access: SedimentOptions.Access) throws {
    let (fixture, _) = try Self.damaged(access)
    #expect(try fixture.store.remove(forKey: Self.key))
    #expect(try !fixture.store.contains(Self.key))
    #expect(try fixture.store.keys().count == 2)
  }

  @Test(arguments: accesses)
  func `Without verification the damaged bytes are what is read`(access: SedimentOptions.Access) throws {
    let (fixture, _) = try Self.damaged(access, verifiesReads: false)
    var expected = pattern(40)
    expected[39] ^= 1 << 3
    let store = fixture.store
    #expect(try store.retrieve(forKey: Self.key) == expected)
    #expect(try store.retrieve(forKeys: [Self.key]) == [expected])
    #expect(try store.contains(Self.key))
    var found: [[UInt8]] = []
    try store.forEach { key, value in
      if [UInt8](sedimentBytes: key) == Array(Self.key.utf8) { found.append([UInt8](sedimentBytes: value)) }
      return .continue
    }
    #expect(found == [expected])
    fixture.scheduler.runDue()
    #expect(fixture.events.all == ["recovered", "closed", "recovered"])
  }

  // MARK: Large values

  @Test(arguments: accesses)
  func `A large value's damage is told with its MiB, and only that of its key`(
    access: SedimentOptions.Access
  ) throws {
    let (fixture, place) = try Self.damaged(access, byteCount: (3 << 20) - 5)
    let error = #expect(throws: SedimentError.self) { try fixture.store.retrieve(forKey: Self.key) }
    #expect(error?.code == .damaged)
    #expect(error?.offset == UInt64(place + (2 << 20)))
    // Its record is sound.
    #expect(try fixture.store.contains(Self.key))
    #expect(try fixture.store.retrieve(forKey: "another", as: String.self) == "before")
  }

  @Test(arguments: accesses)
  func `Without verification a large value is read as it is`(access: SedimentOptions.Access) throws {
    let count = 2 << 20
    let (fixture, place) = try Self.damaged(access, verifiesReads: false, byteCount: count)
    var expected = pattern(count)
    expected[count - 1] ^= 1 << 3
    #expect(try same(fixture.store.retrieve(forKey: Self.key), expected))
    // Nor does the table of checksums behind the value matter.
    fixture.disk.flipBit(0, ofByte: place + count, in: StoreFixture.path)
    #expect(try same(fixture.store.retrieve(forKey: Self.key), expected))
  }

  @Test(arguments: accesses)
  func `A large value whose table of checksums is damaged is not believed`(
    access: SedimentOptions.Access
  ) throws {
    let count = 2 << 20
    let fixture = try StoreFixture(access)
    try fixture.store.set(pattern(count), forKey: Self.key)
    let place = try Self.place(of: pattern(count), in: fixture)
    fixture.disk.flipBit(0, ofByte: place + count, in: StoreFixture.path)
    let error = #expect(throws: SedimentError.self) { try fixture.store.retrieve(forKey: Self.key) }
    #expect(error?.code == .damaged)
    #expect(error?.offset == UInt64(place - 128))
  }

  // MARK: Disks that cannot read

  @Test func `A sector that cannot be read is an error of the system where reading goes by calls`() throws {
    let fixture = try StoreFixture(.unmapped)
    try fixture.store.set(pattern(40), forKey: Self.key)
    try fixture.store.set(pattern(200_000), forKey: "large")
    for (key, count) in [(Self.key, 40), ("large", 200_000)] {
      let place = UInt64(try Self.place(of: pattern(count), in: fixture))
      fixture.disk.makeUnreadable(place..<place + 1, in: StoreFixture.path)
      let error = #expect(throws: SedimentError.self) { try fixture.store.retrieve(forKey: key) }
      #expect(error?.code == .inputOutput)
      #expect(error?.systemError?.operation == .read)
      #expect(error?.systemError?.code == .inputOutput)
      fixture.disk.makeReadable(StoreFixture.path)
      #expect(try same(fixture.store.retrieve(forKey: key), pattern(count)))
    }
  }

  @Test func `Reading by calls alone maps nothing`() throws {
    let fixture = try StoreFixture(.unmapped)
    for number in 0..<100 { try fixture.store.set(pattern(5_000, number), forKey: "\(number)") }
    try fixture.store.set(pattern(1 << 20), forKey: "large")
    try fixture.reopen()
    #expect(try fixture.store.retrieve(forKey: "99") == pattern(5_000, 99))
    #expect(fixture.count(.map, since: 0) == 0)
  }

  @Test func `Reading of mapped values makes no call`() throws {
    let fixture = try StoreFixture(.windowless)
    for number in 0..<100 { try fixture.store.set(pattern(5_000, number), forKey: "\(number)") }
    try fixture.store.set(pattern(1 << 20), forKey: "large")
    let call = fixture.disk.callCount
    for number in 0..<100 {
      #expect(try fixture.store.retrieve(forKey: "\(number)") == pattern(5_000, number))
    }
    #expect(try same(fixture.store.retrieve(forKey: "large"), pattern(1 << 20)))
    #expect(try fixture.store.keys().count == 101)
    #expect(fixture.disk.callCount == call)
  }

  @Test func `Mapped writing makes no call for each change, and unmapped one write`() throws {
    for access in accesses {
      let fixture = try WindowFixture(access).fixture
      let call = fixture.disk.callCount
      for number in 0..<10 { try fixture.store.set("\(number)", forKey: "key") }
      #expect(fixture.changes(since: call).count == (access == .automatic ? 0 : 10))
    }
  }
}
