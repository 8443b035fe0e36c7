import Sediment
import SedimentTesting

/// What random histories consist of.
struct CrashMix {
  /// How large values are, apart from the large ones with extents.
  var byteCountMax = 1500
  /// How many of a thousand values are large ones.
  var largePerThousand = 20
  /// How many of ten operations are in the store itself rather than in one of its collections.
  var ownPerTen = 6

  /// Several mixes: small records, records that fill a segment each few operations, and large values.
  static let all = [
    CrashMix(), CrashMix(byteCountMax: 12_000, largePerThousand: 5),
    CrashMix(byteCountMax: 300, largePerThousand: 150, ownPerTen: 3),
  ]
}

extension CrashOperation {
  /// Makes one at random.
  static func random(_ mix: CrashMix, using generator: inout SeededGenerator) -> CrashOperation {
    let place = place(mix, using: &generator)
    let byteCount = byteCount(mix, using: &generator)
    let durability = durability(using: &generator)
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<34: return .set(place, byteCount: byteCount, durability)
    case 34..<40: return .set(place, byteCount: 40, lifetime: .milliseconds(30), durability)
    case 40..<50: return .remove(place, durability)
    case 50..<64: return .batch(members(mix, using: &generator), durability)
    case 64..<67: return .update(place, durability)
    case 67..<70: return .setIfAbsent(place, byteCount: byteCount, durability)
    case 70..<72: return .setExpiry(place, lifetime: .milliseconds(25), durability)
    case 72..<73: return .setExpiry(place, lifetime: nil, durability)
    case 73..<76: return .clear(place.collection, durability)
    case 76..<79: return .drop(place.collection.isEmpty ? "a" : place.collection, durability)
    case 79..<80: return .removeEverything(durability)
    case 80..<84: return .sync
    case 84..<89: return .wait
    case 89..<91: return .background
    case 91..<95: return .checkpoint
    default: return .reopen
    }
  }

  private static func members(
    _ mix: CrashMix, using generator: inout SeededGenerator
  ) -> [(place: Place, byteCount: Int?)] {
    (0..<Int.random(in: 1...5, using: &generator)).map { _ in
      let isRemoval = Int.random(in: 0..<4, using: &generator) == 0
      let byteCount = byteCount(mix, using: &generator)
      return (place(mix, using: &generator), isRemoval ? nil : byteCount)
    }
  }

  private static func place(_ mix: CrashMix, using generator: inout SeededGenerator) -> Place {
    let isOwn = Int.random(in: 0..<10, using: &generator) < mix.ownPerTen
    let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
    return Place(key, in: isOwn ? "" : collections[Int.random(in: 1...2, using: &generator)])
  }

  private static func durability(using generator: inout SeededGenerator) -> SedimentDurability {
    switch Int.random(in: 0..<10, using: &generator) {
    case 0..<2: .synced
    case 2..<4: .interval(interval)
    case 4: .interval(longInterval)
    default: .unsynced
    }
  }

  private static func byteCount(_ mix: CrashMix, using generator: inout SeededGenerator) -> Int {
    if Int.random(in: 0..<1000, using: &generator) < mix.largePerThousand {
      return (128 << 10) + Int.random(in: 1..<9000, using: &generator)
    }
    // Half of them short.
    let isShort = Bool.random(using: &generator)
    return Int.random(in: 8..<(isShort ? 80 : mix.byteCountMax), using: &generator)
  }
}
