import Foundation
import Shallows
import Testing

private final class Account: Codable {
  var owner: String
  var balance: Int

  init(owner: String, balance: Int) {
    self.owner = owner
    self.balance = balance
  }
}

@Suite struct MemoryScenarios {
  private let scratch = Scratch()

  @Test func `A class in memory is the very object that was set`() throws {
    let accounts = MemoryStorage<String, Account>().makeSyncStorage()
    let ann = Account(owner: "Ann", balance: 10)
    try accounts.set(ann, forKey: "ann")
    ann.balance = 20
    #expect(try accounts.retrieve(forKey: "ann") === ann)
    #expect(try accounts.retrieve(forKey: "ann").balance == 20)
    try accounts.set(Account(owner: "Ann", balance: 1), forKey: "ann")
    #expect(try accounts.retrieve(forKey: "ann") !== ann && ann.balance == 20)
  }

  @Test(arguments: Place.all)
  func `A class on the disk is another object each time, as it was when it was set`(_ place: Place) throws {
    let accounts = place.open(scratch.url).mapJSONObject(Account.self).makeSyncStorage()
    let ann = Account(owner: "Ann", balance: 10)
    try accounts.set(ann, forKey: "ann")
    ann.balance = 20
    let first = try accounts.retrieve(forKey: "ann")
    let second = try accounts.retrieve(forKey: "ann")
    #expect(first !== ann && first !== second && first.balance == 10)
  }

  @Test(arguments: Place.all)
  func `A class in a memory in front is one object until the memory loses it`(_ place: Place) throws {
    let memory = MemoryStorage<Filename, Account>()
    let disk = place.open(scratch.url).mapJSONObject(Account.self)
    let accounts = memory.combined(with: disk).makeSyncStorage()
    let ann = Account(owner: "Ann", balance: 10)
    try accounts.set(ann, forKey: "ann")
    ann.balance = 20
    #expect(try accounts.retrieve(forKey: "ann") === ann)
    memory.storage = [:]
    let pulled = try accounts.retrieve(forKey: "ann")
    #expect(pulled !== ann && pulled.balance == 10)
    #expect(try accounts.retrieve(forKey: "ann") === pulled)
  }

  @Test func `Memory keeps everything, and may be replaced as a whole`() throws {
    let memory = MemoryStorage<Int, String>(storage: [1: "one"])
    let sync = memory.makeSyncStorage()
    for number in 2...10_000 { try sync.set("\(number)", forKey: number) }
    #expect(memory.storage.count == 10_000)
    #expect(try sync.retrieve(forKey: 1) == "one" && sync.retrieve(forKey: 10_000) == "10000")
    memory.storage[1] = nil
    memory.storage[0] = "zero"
    #expect(try sync.retrieve(forKey: 0) == "zero")
    let error = result { memory.retrieve(forKey: 1, completion: $0) }.error
    #expect(error.map { "\($0)" } == "noValue")
  }

  @Test func `A cache of the system drops what is over its limit, and what is behind it has it`() throws {
    let cache = NSCache<NSString, NSNumber>()
    cache.countLimit = 2
    let front = NSCacheStorage(storage: cache).toNonObjCKeys()
      .mapValues(transformIn: { $0.intValue }, transformOut: { NSNumber(value: $0) })
    let back = MemoryStorage<String, Int>()
    let both = front.combined(with: back).makeSyncStorage()
    let keys: [String] = ["a", "b", "c", "d"]
    for (number, key) in keys.enumerated() { try both.set(number, forKey: key) }
    let held = keys.filter { cache.object(forKey: $0 as NSString) != nil }
    #expect(held.count == 2)
    let lost = try #require(keys.first { !held.contains($0) })
    #expect(try both.retrieve(forKey: lost) == back.storage[lost])
  }

  @Test func `A cache of the system says which key it has lost`() throws {
    let storage = NSCacheStorage<NSString, NSNumber>()
    #expect(storage.storageName == "nscache")
    let sync = storage.makeSyncStorage()
    try sync.set(7, forKey: "a")
    let found = try sync.retrieve(forKey: "a")
    #expect(found == 7 && found === storage.cache.object(forKey: "a"))
    storage.cache.removeAllObjects()
    do {
      _ = try sync.retrieve(forKey: "a")
      Issue.record("there is nothing")
    } catch NSCacheStorage<NSString, NSNumber>.Error.noValue(let key) {
      #expect(key == "a")
    }
  }

  @Test func `A storage of a program's own that counts uses stays in step with what is behind it`() throws {
    final class Recent: StorageProtocol {
      private(set) var order: [String] = []
      private var values: [String: Int] = [:]

      func retrieve(forKey key: String, completion: @escaping (ShallowsResult<Int>) -> ()) {
        order.removeAll { $0 == key }
        guard let value = values[key] else { return completion(fail(with: Oops(name: key))) }
        order.append(key)
        completion(succeed(with: value))
      }

      func set(_ value: Int, forKey key: String, completion: @escaping (ShallowsResult<Void>) -> ()) {
        order.removeAll { $0 == key }
        order.append(key)
        values[key] = value
        if order.count > 2 { values[order.removeFirst()] = nil }
        completion(.success(()))
      }
    }
    let recent = Recent()
    let back = MemoryStorage<String, Int>()
    let both = recent.combined(with: back).makeSyncStorage()
    for (number, key) in ["a", "b"].enumerated() { try both.set(number, forKey: key) }
    #expect(try both.retrieve(forKey: "a") == 0)
    try both.set(2, forKey: "c")
    #expect(recent.order == ["a", "c"])
    #expect(try both.retrieve(forKey: "b") == 1)
    #expect(recent.order == ["c", "b"])
    #expect(back.storage == ["a": 0, "b": 1, "c": 2])
  }
}
