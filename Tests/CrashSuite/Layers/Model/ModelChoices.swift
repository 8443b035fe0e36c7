import CrashModel
import Sediment
import SedimentTesting

/// What is done at random in a history, all of which follows from its seed.
struct ModelChoices {
  private let settings: ModelSettings
  private var generator: SeededGenerator

  init(_ settings: ModelSettings, seed: UInt64) {
    self.settings = settings
    generator = SeededGenerator(seed: seed)
  }

  mutating func number(below limit: Int) -> Int {
    Int.random(in: 0..<limit, using: &generator)
  }

  /// True once in so many times.
  mutating func isOne(of count: Int) -> Bool { number(below: count) == 0 }

  /// The store's own keys, which have no name, half of the time.
  mutating func name() -> String { isOne(of: 2) ? "" : collectionName() }

  mutating func collectionName() -> String { ["users", "orders"][number(below: 2)] }

  /// Among the keys are the empty one, some that are prefixes of others, and long ones.
  mutating func key() -> [UInt8] {
    let number = number(below: settings.keyCount)
    switch number {
    case 0: return []
    case 1..<6: return [UInt8](repeating: 0x61, count: number)
    case 6..<8: return [UInt8](repeating: 0x62, count: number * 1_000)
    default: return Array("key \(number)".utf8)
    }
  }

  /// Mostly small values, which compress or not, and now and then one that is empty or large.
  mutating func value() -> [UInt8] {
    switch number(below: 120) {
    case 0: []
    case 1: bytes(number(below: settings.largestByteCount))
    case 2..<8: bytes(number(below: 20_000))
    default: bytes(number(below: 400))
    }
  }

  private mutating func bytes(_ count: Int) -> [UInt8] {
    let seed = generator.next()
    let text = "{\"id\": \(seed), \"name\": \"somebody\", \"roles\": [\"reader\"]} "
    let isText = seed % 2 == 0
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 128)
    var piece = SeededGenerator(seed: seed)
    while bytes.count < count {
      if isText {
        bytes += text.utf8
      } else {
        let word = piece.next()
        for shift in stride(from: 0, to: 64 as UInt64, by: 8) {
          bytes.append(UInt8(truncatingIfNeeded: word >> shift))
        }
      }
    }
    bytes.removeLast(bytes.count - count)
    return bytes
  }

  /// An expiry to ask for at a time of the clock.
  mutating func expiry(at clock: UInt64) -> SedimentExpiry {
    switch number(below: 8) {
    case 0: .after(isOne(of: 3) ? .seconds(86_400) : .milliseconds(number(below: 5_000)))
    case 1: .at(milliseconds: ClockJump.time(clock, after: .milliseconds(2_000 - number(below: 3_000))))
    case 2: .unchanged
    default: .never
    }
  }

  /// How far a clock jumps.
  mutating func jump() -> Duration { ClockJump.random(using: &generator) }

  /// Mostly the store's own.
  mutating func durability() -> SedimentDurability? {
    switch number(below: 8) {
    case 0: .synced
    case 1: .unsynced
    case 2: .interval(.milliseconds(20))
    default: nil
    }
  }

  /// A change among those of a batch; a removal has no value.
  struct Member {
    var name: String
    var key: [UInt8]
    var value: [UInt8]?
    var lifetime: Duration?
  }

  mutating func members(of names: [String]) -> [Member] {
    (0..<number(below: 12)).map { _ in
      Member(
        name: names[number(below: names.count)], key: key(), value: isOne(of: 3) ? nil : value(),
        lifetime: isOne(of: 4) ? .milliseconds(number(below: 4_000)) : nil)
    }
  }
}
