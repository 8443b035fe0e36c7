import CrashModel
import Sediment
import SedimentTesting

/// How a small store is bounded and opened, and what is stored in it: it follows from a seed.
struct FullStorePlan: CustomStringConvertible {
  enum Bound {
    /// `.limited`: what finds no room is refused.
    case cap
    /// The disk ends; the store has no cap.
    case disk
    /// `.evicting`: everything that fits is stored.
    case eviction
  }

  let bound: Bound
  var slotCount: UInt64
  let access: SedimentOptions.Access
  var compaction: SedimentCompaction
  /// The longest key and value.
  var keyByteCountMax: Int
  var valueByteCountMax: Int
  /// Whether values of each length are as frequent; else most are short.
  var isEven = false
  var batchCountMax: Int
  /// How a store is filled.
  enum Filling {
    /// By new keys and by others, of all lengths.
    case mixed
    /// By values of one length until none finds room, then of half of that, and so on.
    case halving
    /// By replacing the values of so many keys that there is room for all.
    case replacing
  }
  var filling = Filling.mixed
  /// Whether the background works after each change, or only when somebody has to wait for it.
  var hasBackground: Bool
  /// What the store works on: every fifth one is an Apple device.
  let machine: CrashMachine

  init(seed: UInt64) {
    // Not the numbers that the steps are made of.
    var generator = SeededGenerator(seed: ~seed)
    func one<Element>(of elements: Element...) -> Element {
      elements[Int.random(in: 0..<elements.count, using: &generator)]
    }
    let bound: Bound = one(of: .cap, .cap, .disk, .eviction)
    self.bound = bound
    // Where writing into blocks that are there takes others, a full disk refuses removals, too.
    let isApple = seed % 5 == 3 && bound != .disk
    machine = isApple ? .apple(punchesHoles: seed % 2 == 0) : CrashMachine()
    slotCount = UInt64.random(in: one(of: 48...64, 48...128, 64...256), using: &generator)
    access = one(of: .automatic, .automatic, .windowless, .unmapped)
    compaction = one(of: .automatic, .manual)
    keyByteCountMax = one(of: 20, 20, 200, 4_000, 20_000, 65_535)
    valueByteCountMax = one(of: 50, 500, 6_000, 16_300, 30_000, 130_000, 200_000)
    batchCountMax = one(of: 1, 1, 4, 30)
    hasBackground = one(of: true, false)
    if Int.random(in: 0..<8, using: &generator) == 0 {
      // So many segments that a checkpoint takes several slots.
      slotCount = UInt64.random(in: 200...400, using: &generator)
      (keyByteCountMax, valueByteCountMax) = (20, one(of: 6_000, 12_000))
      (compaction, hasBackground, isEven) = (.automatic, true, true)
    }
    switch Int.random(in: 0..<12, using: &generator) {
    case 0 where bound != .eviction:
      filling = .halving
      slotCount = UInt64.random(in: 64...900, using: &generator)
      (keyByteCountMax, valueByteCountMax) = (20, 1_000_000)
    case 1 where bound != .eviction:
      filling = .replacing
      slotCount = UInt64.random(in: 600...900, using: &generator)
      (keyByteCountMax, valueByteCountMax, isEven) = (20, one(of: 6_000, 60_000), true)
      batchCountMax = one(of: 1, 2, 4)
    default: break
    }
  }

  var byteCount: UInt64 { slotCount << 14 }

  var options: SedimentOptions {
    var options = SedimentOptions(
      durability: .unsynced, access: access, compaction: compaction, compression: .off)
    if batchCountMax != 4 { options.useSmallWindow() }
    switch bound {
    case .cap: options.capacity = .limited(maxBytes: byteCount)
    case .eviction: options.capacity = .evicting(maxBytes: byteCount)
    case .disk: break
    }
    return options
  }

  var description: String {
    "\(bound) of \(slotCount) slots, \(access), compaction \(compaction), keys to \(keyByteCountMax), values to "
      + "\(valueByteCountMax)\(isEven ? " evenly" : ""), \(filling), batches of \(batchCountMax)\(hasBackground ? ", with background" : "")"
      + (machine == CrashMachine() ? "" : ", \(machine)")
  }
}
