import Sediment
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// Reading many keys at once.
struct StoreReadingManyTests {
  @Test(arguments: accesses)
  func `Many keys come in their order, however many they are`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    for number in 0..<300 where number % 3 != 0 {
      try fixture.store.set(pattern(number), forKey: "\(number)")
    }
    for count in [0, 1, 2, 63, 64, 65, 127, 128, 129, 300] {
      let keys = (0..<count).map { "\($0)" }
      let expected = (0..<count).map { $0 % 3 == 0 ? nil : pattern($0) }
      #expect(try fixture.store.retrieve(forKeys: keys) == expected)
      var numbers: [Int] = []
      try fixture.store.withValues(forKeys: keys) { number, value in
        numbers.append(number)
        #expect(copy(value) == expected[number])
      }
      #expect(numbers == Array(0..<count))
    }
  }

  @Test(arguments: accesses)
  func `Keys that come twice have their values twice, and absent ones none each time`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    try fixture.store.set("1", forKey: "a")
    try fixture.store.set(pattern(140_000), forKey: "b")
    let found = try fixture.store.retrieve(forKeys: ["a", "x", "b", "a", "x", "", "b"])
    #expect(found.map { $0?.count } == [1, nil, 140_000, 1, nil, nil, 140_000])
    #expect(same(found[6], pattern(140_000)))
  }

  @Test(arguments: accesses)
  func `A thousand absent keys are told from one that is there`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    try fixture.store.set("here", forKey: "500")
    let found = try fixture.store.retrieve(forKeys: (0..<1_000).lazy.map { "\($0)" })
    #expect(found.count == 1_000)
    #expect(found.indices.filter { found[$0] != nil } == [500])
  }

  @Test func `Many keys are read up to the one whose closure throws`() throws {
    let fixture = try StoreFixture()
    for number in 0..<100 { try fixture.store.set("\(number)", forKey: "\(number)") }
    var last = -1
    #expect(throws: Refusal()) {
      try fixture.store.withValues(forKeys: (0..<100).map { "\($0)" }) { number, _ in
        last = number
        if number == 70 { throw Refusal() }
      }
    }
    #expect(last == 70)
  }

  @Test func `A key that the closure sets is found behind another whose entry agrees with it`() throws {
    let disk = ForwardingDisk(SimulatedDisk(seed: 12))
    func open() throws -> SedimentStore {
      try SedimentStore(
        path: StoreFixture.path, options: SedimentOptions(durability: .unsynced), disk: disk,
        scheduler: ManualScheduler())
    }
    try open().close()
    disk.drawn.withLock { $0 = [] }
    let store = try open()
    let (other, key) = try #require(disk.keysThatAgree())
    try store.set("other", forKey: other)
    try store.set("first", forKey: "first")
    var found: [[UInt8]?] = []
    try store.withValues(forKeys: ["first", key, other]) { number, value in
      if number == 0 { try store.set("set", forKey: key) }
      found.append(copy(value))
    }
    #expect(found == [Array("first".utf8), Array("set".utf8), Array("other".utf8)])
    try store.close()
  }

  @Test func `The closure of many keys changes the store, and later keys show it`() throws {
    let fixture = try StoreFixture()
    let store = fixture.store
    for number in 0..<200 { try store.set("old", forKey: "\(number)") }
    var found: [String] = []
    try store.withValues(forKeys: (0..<200).map { "\($0)" }) { number, value in
      found.append(String(decoding: copy(value)!, as: UTF8.self))
      if number + 1 < 200 { try store.set("new", forKey: "\(number + 1)") }
    }
    #expect(found == ["old"] + Array(repeating: "new", count: 199))
  }

  @Test(arguments: accesses)
  func `What the closure of many keys removes, adds, clears or moves is found as it then is`(
    access: SedimentOptions.Access
  ) throws {
    let fixture = try StoreFixture(access)
    let store = fixture.store
    for number in 0..<10 { try store.set("old", forKey: "\(number)") }
    var found: [String?] = []
    try store.withValues(forKeys: (0..<12).map { "\($0)" }) { number, value in
      found.append(copy(value).map { String(decoding: $0, as: UTF8.self) })
      switch number {
      case 0: try store.remove(forKey: "1")
      case 2:
        try store.remove(forKey: "3")
        try store.set("again", forKey: "3")
      // The index grows, so that its tables are others.
      case 4: for other in 0..<20_000 { try store.set("other", forKey: "other \(other)") }
      case 6: try store.removeAll()
      case 8: try store.set("late", forKey: "9")
      case 9: try store.set("later", forKey: "10")
      default: break
      }
    }
    #expect(
      found == ["old", nil, "old", "again", "old", "old", "old", nil, nil, "late", "later", nil])
  }

  @Test(arguments: accesses)
  func `Keys of any length are looked up together`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    let byteCounts = [0, 1, 65_535, 7, 9_000, 9_001, 3, 16_384, 1_023, 1_024, 1_025, 65_534, 0, 1]
    let keys = byteCounts.map { pattern($0) }
    for key in keys where key.count % 2 == 1 { try fixture.store.set("\(key.count)", forKey: key) }
    let found = try fixture.store.retrieve(forKeys: keys)
    #expect(found == byteCounts.map { $0 % 2 == 1 ? Array("\($0)".utf8) : nil })
  }
}
