internal import Sediment
internal import SedimentTesting

/// A thread that changes registers and reads them.
struct ConcurrentUser {
  private let use: ConcurrentUse
  private let number: Int
  private var generator: SeededGenerator
  private var log: OperationLog<Int, Int>
  private var valueCount = 0
  /// The values of keys that no other thread has.
  private var own: [Int: Int] = [:]

  init(_ use: ConcurrentUse, number: Int, seed: UInt64) {
    self.use = use
    self.number = number
    generator = SeededGenerator(seed: seed &* 64 &+ UInt64(number))
    log = use.history.log()
  }

  /// Carries out so many operations, and adds what it noted to the history.
  mutating func run(_ count: Int) throws {
    defer { use.history.add(log) }
    for _ in 0..<count { try step() }
  }

  private mutating func step() throws {
    let place = SharedRegisters.places[random(SharedRegisters.count)]
    switch random(100) {
    case 0..<16: try set(place)
    case 16..<22: try remove(place)
    case 22..<40: try read(place)
    case 40..<44: try readMany()
    case 44..<50: try setIfAbsent(place)
    case 50..<58: try update(place)
    case 58..<64: try compareAndSet(place)
    case 64..<66: try setExpiry(place)
    case 66..<74: try changeGroup()
    case 74..<86: try readGroup()
    default: try useOwn()
    }
  }

  private mutating func random(_ count: Int) -> Int { Int.random(in: 0..<count, using: &generator) }

  /// A number for a value that no other has.
  private mutating func newNumber() -> Int {
    valueCount += 1
    return number << 32 | valueCount
  }

  private func durability(_ choice: Int) -> SedimentDurability? {
    switch choice {
    case 0: .synced
    case 1: .interval(.milliseconds(2))
    default: nil
    }
  }

  // MARK: Registers

  private mutating func set(_ place: SharedRegisters.Place) throws {
    let new = newNumber()
    let value = SharedRegisters.value(new, place.key)
    let durability = durability(random(200))
    let begin = log.now()
    try use.keys(of: place).set(value, forKey: place.key, durability: durability)
    log.note(.set(new), on: place.register, since: begin)
  }

  private mutating func remove(_ place: SharedRegisters.Place) throws {
    let begin = log.now()
    let wasThere = try use.keys(of: place).remove(forKey: place.key)
    log.note(.remove(wasThere: wasThere), on: place.register, since: begin)
  }

  private mutating func read(_ place: SharedRegisters.Place) throws {
    let keys = use.keys(of: place)
    let way = random(4)
    let begin = log.now()
    var value: [UInt8]?
    switch way {
    case 0:
      let isThere = try keys.contains(place.key)
      return log.note(.contains(isThere), on: place.register, since: begin)
    case 1:
      var buffer: [UInt8] = []
      value = try keys.retrieve(forKey: place.key, into: &buffer) ? buffer : nil
    case 2:
      value = try keys.withValue(forKey: place.key) { span in
        let bytes = [UInt8](sedimentBytes: span)
        if bytes != [UInt8](sedimentBytes: span) {
          throw CrashContradiction(description: "'\(place.key)' changes while it is read")
        }
        return bytes
      }
    default: value = try keys.retrieve(forKey: place.key)
    }
    let end = log.now()
    log.note(
      .retrieve(try SharedRegisters.number(of: value, place.key)), on: place.register, from: begin, to: end)
  }

  /// Reads several of the store's own at a time.
  private mutating func readMany() throws {
    let places = SharedRegisters.allPlaces.filter { !$0.isOfCollection }.shuffled(using: &generator).prefix(
      12)
    let begin = log.now()
    let values = try use.store.retrieve(forKeys: places.map(\.key))
    let end = log.now()
    for (place, value) in zip(places, values) {
      log.note(
        .retrieve(try SharedRegisters.number(of: value, place.key)), on: place.register, from: begin, to: end)
    }
  }

  private mutating func setIfAbsent(_ place: SharedRegisters.Place) throws {
    let new = newNumber()
    let value = SharedRegisters.value(new, place.key)
    let begin = log.now()
    let isSet = try use.keys(of: place).setIfAbsent(value, forKey: place.key)
    log.note(.setIfAbsent(new, isSet: isSet), on: place.register, since: begin)
  }

  private mutating func update(_ place: SharedRegisters.Place) throws {
    let new = random(4) == 0 ? nil : newNumber()
    var old: [UInt8]?
    let begin = log.now()
    try use.keys(of: place).update(forKey: place.key) { found in
      old = found
      return new.map { SharedRegisters.value($0, place.key) }
    }
    let end = log.now()
    log.note(
      .update(from: try SharedRegisters.number(of: old, place.key), to: new), on: place.register, from: begin,
      to: end)
  }

  private mutating func compareAndSet(_ place: SharedRegisters.Place) throws {
    // What was read just before is often there still.
    try read(place)
    var expected: Int?
    if case .exactly(let value) = log.operations.last?.step.found { expected = value }
    let new = newNumber()
    let begin = log.now()
    let isSet = try use.keys(of: place).compareAndSet(
      forKey: place.key, expected: expected.map { SharedRegisters.value($0, place.key) },
      new: SharedRegisters.value(new, place.key))
    log.note(
      .compareAndSet(expected: expected, new: new, isSet: isSet), on: place.register, since: begin)
  }

  /// Changes nothing but when the value ceases to be there, which is never.
  private mutating func setExpiry(_ place: SharedRegisters.Place) throws {
    let begin = log.now()
    let isThere = try use.keys(of: place).setExpiry(.never, forKey: place.key)
    log.note(.contains(isThere), on: place.register, since: begin)
  }

  // MARK: Groups

  private mutating func changeGroup() throws {
    let places = SharedRegisters.groups[random(SharedRegisters.groupCount)]
    let new = random(5) == 0 ? nil : newNumber()
    let begin = log.now()
    try use.store.batch { batch in
      for place in places {
        let value = new.map { SharedRegisters.value($0, place.key) }
        switch (value, place.isOfCollection) {
        case (let value?, true): batch.set(value, forKey: place.key, in: use.collection)
        case (let value?, false): batch.set(value, forKey: place.key)
        case (nil, true): batch.remove(forKey: place.key, in: use.collection)
        case (nil, false): batch.remove(forKey: place.key)
        }
      }
    }
    log.note(new.map { .set($0) } ?? .remove(), on: places[0].register, since: begin)
  }

  /// Reads some members in any order, or the two that are the furthest apart in the batches that set them.
  private mutating func readGroup() throws {
    let places = SharedRegisters.groups[random(SharedRegisters.groupCount)]
    switch random(4) {
    case 0: for place in places.shuffled(using: &generator).prefix(4) { try read(place) }
    case 1: try readTogether(places[0], places[places.count - 1])
    default: try readTogether(places[places.count - 1], places[0])
    }
  }

  /// Looks at a key for a moment until it changes, and reads another right behind it: a batch is told to the index in a
  /// microsecond or two.
  private mutating func readTogether(_ one: SharedRegisters.Place, _ other: SharedRegisters.Place) throws {
    let (first, second) = (use.keys(of: one), use.keys(of: other))
    let begin = log.now()
    let before = try first.retrieve(forKey: one.key)
    var value = before
    for _ in 0..<32 where value == before { value = try first.retrieve(forKey: one.key) }
    // Two moments, or the second might have been read before the first.
    let (middle, afterwards) = (log.now(), log.now())
    let next = try second.retrieve(forKey: other.key)
    let end = log.now()
    log.note(
      .retrieve(try SharedRegisters.number(of: value, one.key)), on: one.register, from: begin, to: middle)
    log.note(
      .retrieve(try SharedRegisters.number(of: next, other.key)), on: other.register, from: afterwards,
      to: end)
  }

  // MARK: Keys of its own

  /// Sets or reads a key that only this thread has: many of them, so that segments are emptied and used again.
  private mutating func useOwn() throws {
    let place = random(400)
    let key = "own \(place) of \(number)"
    if random(3) == 0 {
      let found = try SharedRegisters.number(of: use.store.retrieve(forKey: key), key)
      if found != own[place] {
        throw CrashContradiction(description: "'\(key)' has \(found ?? 0), and not \(own[place] ?? 0)")
      }
    } else {
      let new = newNumber()
      try use.store.set(SharedRegisters.value(new, key), forKey: key)
      own[place] = new
    }
  }
}
