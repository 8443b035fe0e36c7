import CrashModel
import Sediment
import SedimentTesting

/// What the history of a seed runs with: how the store is opened, how many keys there are and how the time goes.
struct ModelSettings: CustomStringConvertible {
  var access = SedimentOptions.Access.automatic
  var durability = SedimentDurability.unsynced
  var capacity = SedimentCapacity.unlimited
  var compaction = SedimentCompaction.automatic
  var compression = SedimentCompression.off
  var storesIndex = true
  /// How many different keys a collection may have.
  var keyCount = 80
  /// Whether so much time goes by that what has expired is deleted for good; else the wall clock alone moves.
  var isAgeing = false
  /// What the store works on.
  let machine: CrashMachine
  private var slackSlotCount: UInt32 = 3
  private var changeByteCountMax = 15_000
  private var hasSmallWindow = false
  private var storedPartEntryCount = 1

  init(seed: UInt64) {
    machine = CrashMachine(seed: seed)
    // Not the numbers that the operations are made of.
    var generator = SeededGenerator(seed: ~seed)
    func one<Element>(of elements: Element...) -> Element {
      elements[Int.random(in: 0..<elements.count, using: &generator)]
    }
    access = one(of: .automatic, .automatic, .windowless, .unmapped)
    durability = one(of: .unsynced, .interval(.milliseconds(5)), .interval(.seconds(1)), .synced)
    let byteCount = UInt64.random(in: 1 << 20...4 << 20, using: &generator)
    capacity = one(of: .unlimited, .unlimited, .limited(maxBytes: byteCount), .evicting(maxBytes: byteCount))
    compaction = one(of: .off, .manual, .automatic, .automatic)
    compression = one(of: .off, .zstd(level: 1), .zstd(level: 5), .automatic)
    storesIndex = one(of: true, false)
    keyCount = one(of: 8, 80, 80, 1_000)
    isAgeing = one(of: true, false)
    slackSlotCount = one(of: 1, 3, 8, 64)
    changeByteCountMax = one(of: 60, 1_000, 15_000)
    hasSmallWindow = one(of: true, true, false)
    storedPartEntryCount = one(of: 1, 40, 28 << 10)
  }

  /// The options of an opening.
  func options(observer: @escaping @Sendable (SedimentEvent) -> Void) -> SedimentOptions {
    var options = SedimentOptions(
      durability: durability, access: access, capacity: capacity, compaction: compaction,
      compression: compression, storesIndex: storesIndex, observer: observer)
    options.slackSlotCount = slackSlotCount
    options.changeByteCountMax = changeByteCountMax
    if hasSmallWindow { options.useSmallWindow() }
    // Each part takes a slot, of which a capped store has few.
    if byteCountMax == nil { options.storedPartEntryCount = storedPartEntryCount }
    return options
  }

  /// The most bytes that the file may have; nil for any number.
  var byteCountMax: Int? {
    switch capacity {
    case .unlimited: nil
    case .limited(let byteCount), .evicting(let byteCount): Int(byteCount)
    }
  }

  var evicts: Bool {
    if case .evicting = capacity { return true }
    return false
  }

  /// The largest value: a large one now and then, of which a capped file has room for some.
  var largestByteCount: Int { min(300_000, (byteCountMax ?? .max) / 12) }

  var description: String {
    "\(access), \(durability), \(capacity), compaction \(compaction), compression \(compression), "
      + "\(storesIndex ? "a" : "no") stored index, \(keyCount) keys\(isAgeing ? ", ageing" : ""), \(machine)"
  }
}
