import Foundation
import Sediment
import SedimentTesting
import Testing

/// Random histories of a store, compared with a model step by step; a failure names the seed that replays it.
struct StoreModelTests {
  private static let isLong = ProcessInfo.processInfo.environment["SEDIMENT_TESTS_LONG"] == "1"
  private static let seeds: Range<UInt64> = isLong ? 0..<60 : 0..<4

  @Test(arguments: accesses, seeds)
  func `A store does what its model does`(access: SedimentOptions.Access, seed: UInt64) throws {
    var run = try ModelRun(access, seed: seed)
    for number in 0..<2_000 {
      try run.step()
      try #require(run.mistake == nil, "seed \(seed), operation \(number): \(run.mistake ?? "")")
    }
    try run.compareAll()
    try #require(run.mistake == nil, "seed \(seed), at the end: \(run.mistake ?? "")")
  }
}

/// One random history.
private struct ModelRun {
  private var fixture: StoreFixture
  private var model: StoreModel
  private var generator: SeededGenerator
  private let access: SedimentOptions.Access
  /// What the store did that the model did not.
  private(set) var mistake: String?

  init(_ access: SedimentOptions.Access, seed: UInt64) throws {
    self.access = access
    generator = SeededGenerator(seed: seed)
    fixture = try StoreFixture(access, on: SimulatedDisk(seed: seed))
    model = StoreModel(clock: fixture.disk.wallClock())
  }

  // MARK: Choosing

  private mutating func number(below limit: Int) -> Int {
    Int.random(in: 0..<limit, using: &generator)
  }

  /// One of eighty, among them the empty key, keys that are prefixes of others, and long ones.
  private mutating func key() -> [UInt8] {
    let number = number(below: 80)
    switch number {
    case 0: return []
    case 1..<10: return [UInt8](repeating: 0x61, count: number)
    case 10..<13: return pattern(number * 1_000, number)
    default: return Array("key \(number)".utf8)
    }
  }

  private mutating func value() -> [UInt8] {
    let seed = number(below: 1 << 20)
    switch number(below: 60) {
    case 0: return []
    case 1: return pattern(number(below: 300_000), seed)
    case 2..<6: return pattern(number(below: 20_000), seed)
    default: return pattern(number(below: 400), seed)
    }
  }

  private mutating func name() -> String {
    ["", "", "users", "orders"][number(below: 4)]
  }

  /// An expiry to ask for, and what it comes to where the key has an entry.
  private mutating func expiry(_ old: StoreModel.Entry?) -> (SedimentExpiry, UInt64) {
    switch number(below: 6) {
    case 0:
      let milliseconds = number(below: 5_000)
      return (.after(.milliseconds(milliseconds)), model.clock + UInt64(milliseconds))
    case 1:
      let time = model.clock + 2_000 - UInt64(number(below: 3_000))
      return (.at(milliseconds: time), time)
    case 2: return (.unchanged, old?.expiry ?? 0)
    default: return (.never, 0)
    }
  }

  /// The store's keys, or those of a collection, which is made if it is not there.
  private mutating func space(_ name: String) throws -> SedimentCollection {
    if name.isEmpty { return fixture.store.defaultCollection }
    model.create(name)
    return try fixture.store.collection(name)
  }

  // MARK: Stepping

  mutating func step() throws {
    switch number(below: 100) {
    case 0..<35: try set()
    case 35..<50: try remove()
    case 50..<60: try change()
    case 60..<68: try batch()
    case 68..<85: try read()
    case 85..<89: moveClock()
    case 89..<91: try clear()
    case 91..<93: fixture.scheduler.advance(by: 1_000_000_000)
    case 93..<95: try number(below: 2) == 0 ? fixture.store.sync() : fixture.store.checkpoint()
    case 95: try compareAll()
    default: try reopen()
    }
  }

  private mutating func set() throws {
    let (name, key, value) = (name(), key(), value())
    let old = model.entry(key, in: name)
    let (asked, expiry) = expiry(old)
    if number(below: 4) == 0 {
      let isSet = try space(name).setIfAbsent(value, forKey: key, expiry: asked)
      expect(isSet == (old == nil), "set if absent")
      if isSet { model.set(value, key, in: name, expiry: expiry) }
    } else {
      try space(name).set(value, forKey: key, expiry: asked)
      model.set(value, key, in: name, expiry: expiry)
    }
  }

  private mutating func remove() throws {
    let (name, key) = (name(), key())
    let space = try space(name)
    expect(try space.remove(forKey: key) == model.remove(key, in: name), "remove")
  }

  private mutating func change() throws {
    let (name, key, value) = (name(), key(), value())
    let space = try space(name)
    let old = model.entry(key, in: name)
    let (asked, expiry) = expiry(old)
    let new: [UInt8]? = number(below: 3) == 0 ? nil : value
    switch number(below: 3) {
    case 0:
      try space.update(forKey: key, expiry: asked) { found in
        expect(same(found, old?.value), "what an update sees")
        return new
      }
    case 1:
      let isExpected = number(below: 2) == 0
      let expected: [UInt8]? = isExpected ? old?.value : (old == nil ? [1] : nil)
      let isSet = try space.compareAndSet(forKey: key, expected: expected, new: new, expiry: asked)
      expect(isSet == isExpected, "compare and set")
      if !isSet { return }
    default:
      let isSet = try space.setExpiry(asked, forKey: key)
      expect(isSet == (old != nil), "set the expiry")
      if let old { model.set(old.value, key, in: name, expiry: expiry) }
      return
    }
    if let new {
      model.set(new, key, in: name, expiry: expiry)
    } else if old != nil {
      _ = model.remove(key, in: name)
    }
  }

  private mutating func batch() throws {
    var changed = model
    let users = try space("users")
    changed.create("users")
    let isAbandoned = number(below: 5) == 0
    var members: [(key: [UInt8], value: [UInt8]?, isOfUsers: Bool, life: Int?)] = []
    for _ in 0..<number(below: 12) {
      let life = number(below: 4) == 0 ? number(below: 4_000) : nil
      members.append((key(), number(below: 3) == 0 ? nil : value(), number(below: 2) == 0, life))
    }
    do {
      try fixture.store.batch { batch in
        for (key, value, isOfUsers, life) in members {
          let name = isOfUsers ? "users" : ""
          if let value {
            let duration = life.map { Duration.milliseconds($0) }
            let expiry = life.map { changed.clock + UInt64($0) } ?? 0
            if isOfUsers {
              batch.set(value, forKey: key, in: users, expiresIn: duration)
            } else {
              batch.set(value, forKey: key, expiresIn: duration)
            }
            changed.set(value, key, in: name, expiry: expiry)
          } else {
            if isOfUsers { batch.remove(forKey: key, in: users) } else { batch.remove(forKey: key) }
            _ = changed.remove(key, in: name)
          }
        }
        if isAbandoned { throw Refusal() }
      }
      model = changed
    } catch is Refusal {
      // Nothing was changed.
    }
  }

  private mutating func read() throws {
    let (name, key) = (name(), key())
    let space = try space(name)
    let expected = model.entry(key, in: name)
    switch number(below: 6) {
    case 0: expect(try same(space.retrieve(forKey: key), expected?.value), "retrieve")
    case 1: expect(try space.contains(key) == (expected != nil), "contains")
    case 2:
      let found = try space.expiry(forKey: key)
      let wanted = expected.map { $0.expiry == 0 ? SedimentExpiry.never : .at(milliseconds: $0.expiry) }
      expect(found == wanted, "expiry")
    case 3: expect(try space.count() == model.visible(in: name).count, "count")
    case 4:
      let keys = (0..<number(below: 80)).map { _ in self.key() }
      let found = try space.retrieve(forKeys: keys)
      let wanted = keys.map { model.entry($0, in: name)?.value }
      expect(found.count == wanted.count && zip(found, wanted).allSatisfy { same($0, $1) }, "many")
    default:
      let prefix = key.prefix(number(below: 6))
      let wanted = model.visible(in: name).keys.filter { $0.starts(with: prefix) }
      expect(try Set(space.keys(withPrefix: prefix)) == Set(wanted), "prefix")
    }
  }

  private mutating func moveClock() {
    let change = UInt64(number(below: 4_000))
    model.clock = number(below: 4) == 0 ? model.clock - change : model.clock + change
    fixture.disk.setWallClock(to: model.clock)
  }

  private mutating func clear() throws {
    switch number(below: 6) {
    case 0:
      try fixture.store.removeEverything()
      model.clearEverything()
    case 1, 2:
      let name = ["users", "orders"][number(below: 2)]
      expect(try fixture.store.dropCollection(name) == model.drop(name), "drop")
    default:
      let name = name()
      try space(name).removeAll()
      model.clear(name)
    }
  }

  /// Goes on in another opening: after a close, a drop, the death of the process, or a power failure that
  /// everything had been synced before.
  private mutating func reopen() throws {
    switch number(below: 4) {
    case 0: try fixture.close()
    case 1: fixture.drop()
    case 2: fixture = try StoreFixture(access, on: fixture.disk.afterProcessDeath())
    default:
      try fixture.store.sync()
      fixture = try StoreFixture(access, on: fixture.disk.afterPowerLoss(.nothing))
    }
    if !fixture.isOpen { try fixture.open() }
    try compareAll()
  }

  // MARK: Comparing

  mutating func compareAll() throws {
    expect(fixture.store.collectionNames == model.names, "names of collections")
    for name in [""] + model.names {
      let space = try name.isEmpty ? fixture.store.defaultCollection : fixture.store.collection(name)
      var rest = model.visible(in: name)
      var isSame = true
      try space.forEach { key, value in
        let expected = rest.removeValue(forKey: [UInt8](sedimentBytes: key))
        if !same(expected?.value, [UInt8](sedimentBytes: value)) { isSame = false }
        return .continue
      }
      expect(isSame && rest.isEmpty, "everything in '\(name)'")
      expect(try space.count() == model.visible(in: name).count, "count of '\(name)'")
      expect(try space.keys() == space.keys().sorted { $0.lexicographicallyPrecedes($1) }, "order")
    }
  }

  private mutating func expect(_ isSo: Bool, _ what: String) {
    if !isSo, mistake == nil { mistake = what }
  }
}
