import Foundation
import Shallows
import Testing

/// What bounds mean, the odd ones too.
@Suite struct LRUBoundTests {
  @Test func `What was used longest ago makes room, and asking counts as use`() {
    let storage = LRUStorage<String, Int>(capacity: .count(3))
    for (number, key) in ["a", "b", "c"].enumerated() { storage.insert(number, forKey: key) }
    #expect(storage.value(forKey: "a") == 0)
    storage.insert(3, forKey: "d")
    #expect(storage.keysByLastUse == ["d", "a", "c"])
    // A look does not, a new value does.
    #expect(storage.peek(forKey: "c") == 2)
    storage.insert(4, forKey: "e")
    storage.insert(5, forKey: "a")
    #expect(storage.keysByLastUse == ["a", "e", "d"])
    #expect(storage.statistics.evictions == 2)
  }

  @Test(arguments: [0, -1, Int.min])
  func `A bound of zero or less keeps nothing`(bound: Int) throws {
    let capacities: [LRUCapacity<Int, Int>] = [
      .count(bound), .cost(bound) { $1 }, .count(bound, cost: 5) { $1 }, .count(5, cost: bound) { $1 },
    ]
    for capacity in capacities {
      let storage = LRUStorage<Int, Int>(capacity: capacity)
      #expect(!storage.insert(0, forKey: 1))
      #expect(!storage.insert(1, forKey: 2))
      #expect(storage.value(forKey: 1) == nil && storage.removeValue(forKey: 2) == nil)
      storage.modifyValue(forKey: 3) { $0 = 3 }
      storage.trim(toCount: bound)
      storage.trim(toCost: bound)
      #expect(storage.count == 0 && storage.keysByLastUse.isEmpty)
      #expect(storage.statistics.rejections == 3 && storage.statistics.insertions == 0)
      try storage.checkInvariants()
    }
  }

  @Test func `Costs below zero count as zero, and what is free is not bounded by cost`() throws {
    let storage = LRUStorage<Int, Int>(capacity: .cost(10) { $1 })
    for key in 0..<100 { #expect(storage.insert(key % 2 == 0 ? .min : 0, forKey: key)) }
    #expect(storage.count == 100 && storage.totalCost == 0)
    #expect(storage.insert(10, forKey: 100))
    #expect(storage.count == 101 && storage.totalCost == 10)
    // Those used longest ago go until the bound is met, the free ones before it among them.
    #expect(storage.insert(1, forKey: 101))
    #expect(storage.keysByLastUse == [101] && storage.totalCost == 1)
    try storage.checkInvariants()
  }

  @Test func `Costs near the largest number neither overflow nor trap`() throws {
    let storage = LRUStorage<Int, Int>(capacity: .cost(.max) { $1 })
    #expect(storage.insert(.max, forKey: 1))
    #expect(storage.insert(5, forKey: 2))
    #expect(storage.keysByLastUse == [2] && storage.totalCost == 5)
    #expect(storage.insert(.max - 5, forKey: 3))
    #expect(storage.keysByLastUse == [3, 2] && storage.totalCost == .max)
    #expect(storage.insert(.max, forKey: 2))
    #expect(storage.keysByLastUse == [2] && storage.totalCost == .max)
    #expect(storage.insert(.max, forKey: 2))
    try storage.checkInvariants()
  }

  @Test func `A value larger than the bound is not kept, and nothing goes for it but its older self`() {
    let storage = LRUStorage<String, String>(capacity: .bytes(10))
    #expect(storage.insert("12345", forKey: "a") && storage.insert("12345", forKey: "b"))
    #expect(!storage.insert("12345678901", forKey: "c"))
    #expect(storage.keysByLastUse == ["b", "a"] && storage.statistics.evictions == 0)
    #expect(!storage.insert("12345678901", forKey: "a"))
    #expect(storage.keysByLastUse == ["b"] && storage.totalCost == 5 && storage.statistics.evictions == 0)
    storage.modifyValue(forKey: "b") { $0?.append("678901") }
    #expect(storage.keysByLastUse.isEmpty && storage.statistics.rejections == 3)
    #expect(storage.insert("1234567890", forKey: "c"))
  }

  @Test func `A value that grows in place evicts others but not itself`() {
    let storage = LRUStorage<String, [UInt8]>(capacity: .bytes(10))
    for key in ["a", "b", "c"] { storage.insert([1, 2, 3], forKey: key) }
    storage.insert([UInt8](repeating: 0, count: 7), forKey: "a")
    #expect(storage.keysByLastUse == ["a", "c"] && storage.totalCost == 10)
    storage.insert([UInt8](repeating: 0, count: 10), forKey: "c")
    #expect(storage.keysByLastUse == ["c"] && storage.totalCost == 10)
    storage.insert([], forKey: "c")
    #expect(storage.totalCost == 0)
  }

  @Test func `Bytes are those of data, arrays and the UTF-8 of strings`() {
    let data = LRUStorage<Int, Data>(capacity: .bytes(100))
    data.insert(Data(count: 42), forKey: 1)
    #expect(data.totalCost == 42)
    let text = LRUStorage<Int, String>(capacity: .bytes(100))
    text.insert("é", forKey: 1)
    #expect(text.totalCost == 2)
    let bytes = LRUStorage<Int, [UInt8]>(capacity: .bytes(100))
    bytes.insert([1, 2, 3], forKey: 1)
    #expect(bytes.totalCost == 3)
  }

  @Test func `A storage is named after its types unless it is given a name`() {
    #expect(LRUStorage<String, Int>(capacity: .count(1)).storageName == "lru-storage-String:Int")
    #expect(LRUStorage<String, Int>(capacity: .count(1), storageName: "x").storageName == "x")
  }
}
