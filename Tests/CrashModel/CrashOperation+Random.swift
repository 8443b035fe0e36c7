internal import Sediment
package import SedimentTesting

/// What random histories consist of.
package struct CrashMix: Sendable {
  /// How large values are, apart from the large ones with extents.
  package var byteCountMax = 1500
  /// How many of a thousand values are large ones.
  package var largePerThousand = 20
  /// How many of ten operations are in the store itself rather than in one of its collections.
  package var ownPerTen = 6
  package var collections = ["a", "b"]
  /// Whether there are operations that need a disk and a clock that tests hold in their hands.
  package var isSimulated = true
  /// Whether other threads have keys in the same store, so that it is not to be cleared as a whole.
  package var isShared = false

  /// Whether every fifth operation compacts or lets the background do it.
  package var compactsOften = false
  /// Whether no operation goes by what is there.
  package var isBlind = false

  package init(byteCountMax: Int = 1500, largePerThousand: Int = 20, ownPerTen: Int = 6) {
    self.byteCountMax = byteCountMax
    self.largePerThousand = largePerThousand
    self.ownPerTen = ownPerTen
  }

  /// Mostly overwrites, with compaction between, so that segments are emptied and used again all the time.
  package static let churn: CrashMix = {
    var mix = CrashMix(byteCountMax: 6000, largePerThousand: 20, ownPerTen: 8)
    mix.compactsOften = true
    return mix
  }()

  /// The same for a store that leaves out what it likes: nothing depends on what is there.
  package static let eviction: CrashMix = {
    var mix = churn
    mix.isBlind = true
    return mix
  }()

  /// For a process that is killed, in a store of its own or with the collection of one of its threads.
  package init(ofThread thread: Int?) {
    isSimulated = false
    guard let thread else { return }
    isShared = true
    ownPerTen = 0
    collections = ["t\(thread)"]
  }

  /// Several mixes: small records, records that fill a segment each few operations, and large values.
  package static let all = [
    CrashMix(), CrashMix(byteCountMax: 12_000, largePerThousand: 5),
    CrashMix(byteCountMax: 300, largePerThousand: 150, ownPerTen: 3),
  ]

  /// An operation of a history, the same each time it is asked for.
  package func operation(number: Int, seed: UInt64) -> CrashOperation {
    var generator = SeededGenerator(seed: seed)
    generator = SeededGenerator(seed: generator.next() &+ UInt64(number))
    return random(using: &generator)
  }

  /// An operation at random.
  package func random(using generator: inout SeededGenerator) -> CrashOperation {
    let place = place(using: &generator)
    let byteCount = byteCount(using: &generator)
    let durability = durability(using: &generator)
    if compactsOften, Int.random(in: 0..<5, using: &generator) == 0 {
      return Bool.random(using: &generator) && !isBlind ? .compact : .background
    }
    switch Int.random(in: 0..<(isSimulated ? 100 : 84), using: &generator) {
    case 0..<34: return .set(place, byteCount: byteCount, durability)
    case 34..<44: return .remove(place, durability)
    case 44..<58: return .batch(members(using: &generator), durability)
    case 58..<65 where isBlind: return .set(place, byteCount: byteCount, durability)
    case 89..<91 where isBlind: return .sync
    case 58..<61: return .update(place, durability)
    case 61..<64: return .setIfAbsent(place, byteCount: byteCount, durability)
    case 64..<65: return .setExpiry(place, lifetime: nil, durability)
    case 65..<68: return .clear(place.collection, durability)
    case 68..<71: return isShared ? .sync : .drop(collections[0], durability)
    case 71..<72: return isShared ? .sync : .removeEverything(durability)
    case 72..<76: return .sync
    case 76..<78: return .checkpoint
    case 78..<79: return Bool.random(using: &generator) && !isShared && !isBlind ? .erase : .compact
    case 79..<80: return .storeIndex
    case 80..<84: return .set(place, byteCount: 20, durability)
    case 84..<87: return .set(place, byteCount: 40, lifetime: .milliseconds(30), durability)
    case 87..<89: return .set(place, byteCount: 40, lifetime: .seconds(86_400), durability)
    case 89..<91: return .setExpiry(place, lifetime: .milliseconds(25), durability)
    case 91..<95: return .wait
    case 95..<97: return .background
    case 97..<98: return .jump(ClockJump.random(using: &generator))
    default: return .reopen
    }
  }

  private func members(using generator: inout SeededGenerator) -> [(
    place: CrashOperation.Place, byteCount: Int?
  )] {
    (0..<Int.random(in: 1...5, using: &generator)).map { _ in
      let isRemoval = Int.random(in: 0..<4, using: &generator) == 0
      let byteCount = byteCount(using: &generator)
      return (place(using: &generator), isRemoval ? nil : byteCount)
    }
  }

  private func place(using generator: inout SeededGenerator) -> CrashOperation.Place {
    let isOwn = Int.random(in: 0..<10, using: &generator) < ownPerTen
    let key = CrashOperation.keys[Int.random(in: 0..<CrashOperation.keys.count, using: &generator)]
    let collection = collections[Int.random(in: 0..<collections.count, using: &generator)]
    return CrashOperation.Place(key, in: isOwn ? "" : collection)
  }

  private func durability(using generator: inout SeededGenerator) -> SedimentDurability {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<2: .synced
    case 2..<4: .interval(CrashOperation.interval)
    case 4: .interval(CrashOperation.longInterval)
    default: .unsynced
    }
  }

  private func byteCount(using generator: inout SeededGenerator) -> Int {
    if Int.random(in: 0..<1000, using: &generator) < largePerThousand {
      return (128 << 10) + Int.random(in: 1..<9000, using: &generator)
    }
    // Half of them short.
    let isShort = Bool.random(using: &generator)
    return Int.random(in: 8..<(isShort ? 80 : byteCountMax), using: &generator)
  }
}
