import Sediment
import SedimentTesting
import Shallows
import Testing

/// Random calls, each compared with what a plain list does.
@Suite struct LRUModelTests {
  /// A value that carries what it costs.
  private static let cost: LRUCapacity<Int, Int>.Cost = { $1 % 10 }

  struct Setting: CustomTestStringConvertible, Sendable {
    let name: String
    let capacity: @Sendable () -> LRUCapacity<Int, Int>
    var expires = false
    var keyCount = 60

    var testDescription: String { name }
  }

  static let settings = [
    Setting(name: "count", capacity: { .count(20) }),
    Setting(name: "count of one", capacity: { .count(1) }, expires: true, keyCount: 3),
    Setting(name: "cost", capacity: { .cost(100, of: cost) }),
    Setting(name: "small cost", capacity: { .cost(7, of: cost) }, expires: true),
    Setting(name: "count and cost", capacity: { .count(20, cost: 80, of: cost) }),
    Setting(name: "expiry", capacity: { .count(25) }, expires: true),
    Setting(
      name: "everything", capacity: { .count(30, cost: 99, of: cost) }, expires: true),
    Setting(name: "unbounded", capacity: { .count(.max) }, expires: true, keyCount: 90),
  ]

  @Test(arguments: settings, [1, 2] as [UInt64])
  func `Random calls do what a plain list does`(setting: Setting, seed: UInt64) throws {
    var run = ModelRun(setting: setting, seed: seed)
    for step in 0..<100_000 / testScale {
      if let difference = try run.step() {
        Issue.record("\(setting.name), seed \(seed), step \(step): \(difference)")
        return
      }
    }
    #expect(run.model.statistics.hits > 0 && run.model.statistics.misses > 0)
  }
}

/// A storage beside its model.
private struct ModelRun {
  let setting: LRUModelTests.Setting
  let clock = LRUClock()
  let storage: LRUStorage<Int, Int>
  var model: LRUModel<Int>
  var generator: SeededGenerator

  init(setting: LRUModelTests.Setting, seed: UInt64) {
    self.setting = setting
    let capacity = setting.capacity()
    storage = LRUStorage<Int, Int>(capacity: capacity, clock: clock.read)
    model = LRUModel(count: capacity.countMax, cost: capacity.costMax)
    generator = SeededGenerator(seed: seed)
  }

  private mutating func random(_ count: Int) -> Int {
    Int(generator.next() % UInt64(count))
  }

  private func cost(_ value: Int) -> Int {
    setting.capacity().cost == nil ? 0 : value % 10
  }

  private mutating func expiry() -> (StorageExpiry?, UInt64?) {
    guard setting.expires else { return (.never, 0) }
    let length = UInt64(random(60))
    switch random(5) {
    case 0: return (nil, nil)
    case 1: return (.after(.milliseconds(length)), clock.now + length)
    case 2: return (.at(milliseconds: clock.now + length), clock.now + length)
    case 3: return (.at(milliseconds: 0), 1)
    default: return (.never, 0)
    }
  }

  /// Makes one call, and tells what differs after it.
  mutating func step() throws -> String? {
    if setting.expires && random(20) == 0 {
      clock.now = random(4) == 0 ? clock.now - UInt64(random(50)) : clock.now + UInt64(random(50))
    }
    let name = call()
    guard let name else { return nil }
    try storage.checkInvariants()
    if name.isEmpty, storage.keysByLastUse == model.keys {
      var expected = model.statistics
      expected.count = model.count
      expected.cost = model.cost
      expected.tableBytes = storage.statistics.tableBytes
      let statistics = storage.statistics
      return statistics == expected ? nil : "\(statistics), not \(expected)"
    }
    return "\(name): \(storage.keysByLastUse), not \(model.keys)"
  }

  /// An empty text if storage and model answered alike, else the call.
  private mutating func call() -> String? {
    let key = random(setting.keyCount)
    let now = clock.now
    switch random(100) {
    case 0..<35:
      return storage.value(forKey: key) == model.value(key, now: now) ? "" : "value(\(key))"
    case 35..<40:
      return storage.peek(forKey: key) == model.peek(key, now: now) ? "" : "peek(\(key))"
    case 40..<75:
      let value = random(1000)
      let (expiry, deadline) = expiry()
      let isKept = model.insert(value, key, cost: cost(value), expiry: deadline, now: now)
      return storage.insert(value, forKey: key, expiry: expiry) == isKept ? "" : "insert(\(key))"
    case 75..<85:
      return storage.removeValue(forKey: key) == model.remove(key, now: now) ? "" : "remove(\(key))"
    case 85..<95:
      return update(key, now: now)
    default:
      trim()
      return ""
    }
  }

  private mutating func update(_ key: Int, now: UInt64) -> String {
    let expected = model.value(key, now: now)
    let value = random(3) == 0 ? nil : random(1000)
    let (expiry, deadline) = expiry()
    if let value {
      _ = model.insert(value, key, cost: cost(value), expiry: deadline, now: now)
    } else {
      _ = model.remove(key, now: now)
    }
    let found = storage.modifyValue(forKey: key, expiry: expiry) { present in
      defer { present = value }
      return present
    }
    return found == expected ? "" : "update(\(key))"
  }

  private mutating func trim() {
    switch random(12) {
    case 0:
      storage.purge()
      model.purge()
    case 1...3:
      storage.removeExpired()
      model.removeExpired(now: clock.now)
    case 4...7:
      let count = random(30) + 10
      storage.trim(toCount: count)
      model.trim(count: count, cost: .max)
    default:
      let cost = random(100) + 20
      storage.trim(toCost: cost)
      model.trim(count: .max, cost: cost)
    }
  }
}
