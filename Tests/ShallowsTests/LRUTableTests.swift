import SedimentTesting
import Shallows
import Testing

/// The hash table and the list beneath a memory layer.
@Suite struct LRUTableTests {
  /// Inserts, removes and asks at random, and compares with a dictionary.
  private func exercise<Key: Hashable>(_ keys: [Key], rounds: Int, seed: UInt64) throws {
    let storage = LRUStorage<Key, Int>(capacity: .count(keys.count))
    var model: [Key: Int] = [:]
    var generator = SeededGenerator(seed: seed)
    for round in 0..<rounds {
      let key = keys[Int(generator.next() % UInt64(keys.count))]
      switch generator.next() % 5 {
      case 0, 1:
        storage.insert(round, forKey: key)
        model[key] = round
      case 2, 3: try #require(storage.removeValue(forKey: key) == model.removeValue(forKey: key))
      default: try #require(storage.value(forKey: key) == model[key])
      }
      try storage.checkInvariants()
    }
    #expect(storage.count == model.count)
    for key in keys { #expect(storage.peek(forKey: key) == model[key]) }
  }

  @Test(arguments: [1, 2, 3, 7, 50])
  func `Keys whose hashes are the same, or few, are told apart`(hashCount: Int) throws {
    let keys = (0..<50).map { CrowdedKey(number: $0, hashCount: hashCount) }
    try exercise(keys, rounds: 20_000 / testScale, seed: UInt64(hashCount))
  }

  @Test func `Keys with hashes of their own making are spread`() throws {
    let keys = (0..<60).map { PlainHashKey(number: $0) }
    try exercise(keys, rounds: 20_000 / testScale, seed: 9)
    let storage = LRUStorage<PlainHashKey, Int>(capacity: .count(10_000))
    for number in 0..<10_000 { storage.insert(number, forKey: PlainHashKey(number: number)) }
    #expect(storage.count > 9_000)
  }

  @Test(arguments: [0, 3, 6, 12, 20, 32, 40, 53])
  func `Numbers at equal distances are spread as well as others`(distanceLog2: Int) throws {
    let storage = LRUStorage<Int, Int>(capacity: .count(1024))
    for number in 0..<1024 { storage.insert(number, forKey: number << distanceLog2) }
    for number in 0..<1024 { #expect(storage.value(forKey: number << distanceLog2) == number) }
    try storage.checkInvariants()
    // One and a half for each is what hashes that are drawn come to in a table that is half full.
    #expect(storage.searchedSlotCount < 3 * 1024)
  }

  @Test func `The order of use outlives growth, and lasts to the end`() throws {
    let storage = LRUStorage<String, Int>(capacity: .count(5_000))
    var order: [String] = []
    for number in 0..<5_000 {
      storage.insert(number, forKey: "\(number)")
      order.append("\(number)")
      if number % 7 == 0 {
        let used = "\(number / 2)"
        #expect(storage.value(forKey: used) == number / 2)
        order.removeAll { $0 == used }
        order.append(used)
      }
    }
    #expect(storage.keysByLastUse == order.reversed())
    try storage.checkInvariants()
    #expect(storage.statistics.evictions == 0)
    storage.insert(-1, forKey: "new")
    #expect(storage.peek(forKey: order[0]) == nil && storage.peek(forKey: order[1]) != nil)
  }

  @Test func `Keys that come and go take no more memory with time`() throws {
    let storage = LRUStorage<Int, Int>(capacity: .count(1_000))
    for number in 0..<1_000 { storage.insert(number, forKey: number) }
    let before = storage.statistics.tableBytes
    for number in 1_000..<100_000 {
      storage.insert(number, forKey: number)
      if number % 3 == 0 { storage.removeValue(forKey: number - 5) }
    }
    #expect(storage.statistics.tableBytes == before)
    try storage.checkInvariants()
  }

  @Test func `Memory is taken for what is there, and given back by purging and trimming`() throws {
    let storage = LRUStorage<Int, Int>(capacity: .count(1_000_000))
    let empty = storage.statistics.tableBytes
    #expect(empty < 100)
    for number in 0..<10_000 { storage.insert(number, forKey: number) }
    let full = storage.statistics.tableBytes
    // An entry of 16 bytes, 32 of bookkeeping and slots of 4, up to twice for growth.
    #expect(full > 10_000 * 48 && full <= 2 * 10_000 * 64)
    storage.trim(toCount: 100)
    #expect(storage.statistics.tableBytes <= full / 50)
    #expect(storage.keysByLastUse == (9_900..<10_000).reversed())
    try storage.checkInvariants()
    storage.insert(-1, forKey: -1)
    #expect(storage.count == 101)
    storage.purge()
    #expect(storage.statistics.tableBytes == empty)
    #expect(storage.count == 0 && storage.keysByLastUse.isEmpty && storage.value(forKey: 9_999) == nil)
    storage.insert(1, forKey: 1)
    #expect(storage.value(forKey: 1) == 1)
    try storage.checkInvariants()
  }
}
