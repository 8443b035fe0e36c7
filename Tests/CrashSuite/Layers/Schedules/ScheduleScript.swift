import Sediment
import SedimentTesting

/// What the threads of a schedule do, and on which store: it follows from a seed.
struct ScheduleScript {
  /// A key of the store, or of the collection, by its number.
  struct Key: Hashable {
    let number: Int
    var isOfCollection: Bool { number % 2 == 1 }
    var name: String { "k\(number / 2)" }
  }

  enum Step {
    case set(Key, size: Int, expires: Bool, isSynced: Bool)
    case setIfAbsent(Key, size: Int)
    case remove(Key)
    case read(Key)
    /// Reads in place, and stays so many steps.
    case hold(Key, stepCount: Int)
    case readMany
    case update(Key, size: Int)
    case compareAndSet(Key, size: Int)
    case batch([Key], size: Int)
    /// Sets so many others, from that number on, of which no history is kept.
    case fill(first: Int, count: Int, size: Int, ofCollection: Bool)
    /// Removes such.
    case thin(first: Int, count: Int, ofCollection: Bool)
    case iterate(ofCollection: Bool)
    /// Gives values a dictionary, which replaces the one that they had.
    case dictionary(ofCollection: Bool)
    case clear, drop, clearEverything
    case sync, compact, checkpoint, storeIndex
    case backup
    case wait
    /// Does all that the background has to do; before any thread begins.
    case rest
    case reopen
  }

  let options: SedimentOptions
  let keys: [Key]
  /// Whether some values expire.
  let expires: Bool
  /// Whether a reader stays in a full store that evicts, where nobody is refused for that.
  let hasStaying: Bool
  /// Whether a thread makes backups of a full store of limited size, where no removal is refused for that.
  let hasBackups: Bool
  /// What is done before any thread begins.
  let before: [Step]
  let threads: [[Step]]
  let workerCount: Int
  /// Whether there are batches, of which an iteration may see some changes before others see them.
  var hasBatches: Bool { threads.joined().contains { if case .batch = $0 { true } else { false } } }

  /// Whether values may go at any time, so that it tells nothing when one is not there.
  var evicts: Bool { if case .evicting = options.capacity { true } else { false } }

  init(seed: UInt64, isSmall: Bool) {
    var generator = SeededGenerator(seed: seed)
    // Not one of those that are drawn, which would make other scripts of all seeds.
    let isStaying = !isSmall && seed % 16 == 15
    let isBackedUp = !isSmall && seed % 16 == 7
    let scene =
      isSmall ? .common : isStaying ? .staying : isBackedUp ? .backedUp : Scene.drawn(using: &generator)
    let draw = Draw(scene, isSmall: isSmall, using: &generator)
    options = draw.options(using: &generator)
    keys = draw.keys
    expires = draw.expires
    before = draw.before(isSmall: isSmall, using: &generator)
    let threadCount = Int.random(in: 1...(isSmall || scene != .common ? 2 : 4), using: &generator)
    hasStaying = isStaying
    hasBackups = isBackedUp
    threads = (0..<(isStaying || isBackedUp ? 3 : threadCount)).map { number in
      let count =
        isSmall
        ? Int.random(in: 1...2, using: &generator)
        : Int.random(in: 1...scene.stepCountsMax[Int.random(in: 0..<3, using: &generator)], using: &generator)
      if isStaying, number == 0 { return draw.stays(using: &generator) }
      if isBackedUp, number == 0 { return Array(repeating: .backup, count: 3) }
      let kinds = draw.kinds(using: &generator)
      return (0..<count).map { _ in draw.step(of: kinds, using: &generator) }
    }
    // A job that does not go on for long keeps one.
    workerCount = isSmall ? 1 : Int.random(in: (scene == .common ? 1 : 2)...3, using: &generator)
  }
}

/// What kind of store a script has.
private enum Scene {
  case common
  /// A few records, each with a slot of its own, so that another one of its key soon lies where it was.
  case tight
  /// Many slots, so that the file grows ahead of need, and is cut.
  case growing
  /// Many keys, so that the index has partitions that are split.
  case crowded
  /// Values that a dictionary makes short.
  case packed
  /// Few keys, which are set again and again, so that the window goes round under those that read it.
  case windowed
  /// A full store that evicts, and a thread that stays inside closures while the others set and remove.
  case staying
  /// A full store of limited size, and a thread that makes backups while the others set and remove.
  case backedUp

  /// How many steps a thread has at most, one of them by chance.
  var stepCountsMax: [Int] {
    [.tight, .packed, .crowded, .windowed, .staying, .backedUp].contains(self) ? [6, 12, 24] : [4, 6, 12]
  }

  static func drawn(using generator: inout SeededGenerator) -> Scene {
    switch Int.random(in: 0..<16, using: &generator) {
    case 0..<4: .common
    case 4..<9: .tight
    case 9..<11: .crowded
    case 11..<14: .packed
    case 14: .windowed
    // It takes many times as long as the others.
    default: .growing
    }
  }
}

/// Draws the parts of a script; each script has but some kinds of steps, so that these meet often.
private struct Draw {
  enum Kind: CaseIterable {
    case set, read, hold, remove, conditional, batch, many, clear, drop, everything, sync, compact, checkpoint
    case index, wait, reopen, fill, thin, dictionary

    /// Those of scripts of the common scene.
    static var common: [Kind] { allCases.filter { ![.fill, .thin, .dictionary].contains($0) } }
  }

  /// Whether threads read while another one closes the store and opens it again.
  private static let readsAcrossClosing = true

  let keys: [ScheduleScript.Key]
  private let sizes: [Int]
  let expires: Bool
  private let common: [Kind]
  private let scene: Scene

  init(_ scene: Scene, isSmall: Bool, using generator: inout SeededGenerator) {
    self.scene = scene
    let keyCount = Int.random(in: 1...(isSmall || scene != .common ? 2 : 5), using: &generator)
    // Those of the collection, of the store, or of both.
    let (first, stride) = [(1, 2), (0, 2), (0, 1)][Int.random(in: 0..<3, using: &generator)]
    keys = (0..<keyCount).map { ScheduleScript.Key(number: first + $0 * stride) }
    let choices: [[Int]] =
      switch scene {
      case .tight: [[3], [2]]
      case .staying, .backedUp: [[3], [3, 5]]
      case .crowded: [[0], [0, 2], [3]]
      case .packed:
        [[ScheduleValue.packedSize, 3], [ScheduleValue.packedSize, 2], [ScheduleValue.packedSize]]
      case .windowed: [[1], [0, 1], [1, 2]]
      case .common, .growing:
        [[1], [1, 2], [2], [2], [0, 1], [0, 2], [2, 3, 4], [0, 5], [1, 2, 3, 4, 5], [5]]
      }
    sizes = choices[Int.random(in: 0..<choices.count, using: &generator)]
    expires = Int.random(in: 0..<4, using: &generator) == 0
    // With few kinds these meet each other more often.
    var kinds = Kind.common.shuffled(using: &generator)
    kinds.removeLast(kinds.count - [1, 2, 3, 8][Int.random(in: 0..<4, using: &generator)])
    if Int.random(in: 0..<4, using: &generator) > 0 { kinds.removeAll { $0 == .reopen } }
    if kinds.contains(.reopen), !Self.readsAcrossClosing {
      kinds.removeAll { [.read, .hold, .many, .conditional].contains($0) }
    }
    switch scene {
    case .common: common = kinds + [.set, .set, .compact]
    case .tight: common = kinds.prefix(1) + [.set, .set, .set, .compact, .compact, .clear]
    case .growing: common = kinds.prefix(1) + [.fill, .fill, .fill, .compact, .compact, .thin, .clear]
    case .crowded:
      common = kinds.prefix(1) + [.fill, .fill, .many, .thin, .compact, .compact, .clear, .index]
    case .windowed: common = kinds.prefix(1) + [.set, .set, .set, .set, .read, .read, .hold, .many]
    case .staying: common = [.set, .set, .fill, .fill, .fill, .remove, .compact]
    case .backedUp: common = [.set, .fill, .fill, .remove, .thin, .thin]
    case .packed:
      common = [.set, .set, .compact, .compact, .everything, .everything, .dictionary]
    }
  }

  func options(using generator: inout SeededGenerator) -> SedimentOptions {
    let accesses: [SedimentOptions.Access] = [.automatic, .automatic, .windowless, .unmapped]
    var options = SedimentOptions(
      durability: [.unsynced, .interval(.milliseconds(5)), .synced][Int.random(in: 0..<3, using: &generator)],
      access: accesses[Int.random(in: 0..<4, using: &generator)],
      compression: scene == .packed ? .automatic : .off, storesIndex: Bool.random(using: &generator))
    // Files grow ahead of need by what dead records may take.
    options.slackSlotCount =
      scene == .growing ? 64 : UInt32.random(in: 1...(scene == .tight ? 2 : 8), using: &generator)
    if Bool.random(using: &generator) { options.changeByteCountMax = 60 }
    options.storedPartEntryCount = 1
    if scene == .windowed {
      options.access = .automatic
      if options.durability == .synced { options.durability = .unsynced }
    }
    if scene == .windowed || Bool.random(using: &generator) { options.useSmallWindow() }
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: options.capacity = .limited(maxBytes: UInt64.random(in: 32...64, using: &generator) << 14)
    case 1: options.capacity = .evicting(maxBytes: UInt64.random(in: 32...64, using: &generator) << 14)
    case 2: options.compaction = .manual
    default: break
    }
    if scene == .staying {
      options.capacity = .evicting(maxBytes: UInt64.random(in: 64...80, using: &generator) << 14)
      options.compaction = .automatic
    }
    if scene == .backedUp {
      options.capacity = .limited(maxBytes: UInt64.random(in: 64...80, using: &generator) << 14)
      options.compaction = Bool.random(using: &generator) ? .automatic : .manual
    }
    return options
  }

  /// What is done before any thread begins; the last step mostly gives the background something to do.
  func before(isSmall: Bool, using generator: inout SeededGenerator) -> [ScheduleScript.Step] {
    // Mostly so few that slots are used again soon.
    let counts = scene == .common ? [2, 3, 3, 4, 6, 12] : [1, 1, 2, 3, 4, 6]
    let count = counts[Int.random(in: 0..<(isSmall ? 5 : 6), using: &generator)]
    var steps = (0..<count).map { _ in step(of: [.set], using: &generator) }
    if scene == .growing {
      let slotCount = Int.random(in: 56...96, using: &generator)
      steps.insert(.fill(first: 0, count: slotCount, size: 3, ofCollection: true), at: 0)
      return steps
    }
    // Half full of what is overwritten and removed.
    if scene == .backedUp {
      return [.fill(first: 0, count: fillCount, size: 3, ofCollection: keys[0].isOfCollection)]
    }
    if scene == .crowded {
      for isOfCollection in [false, true] where Bool.random(using: &generator) {
        let count = Int.random(in: 4...24, using: &generator)
        steps.append(.fill(first: 0, count: count, size: 0, ofCollection: isOfCollection))
      }
    }
    if scene == .packed {
      steps.insert(.dictionary(ofCollection: keys[0].isOfCollection), at: 0)
      return steps
    }
    if scene == .windowed { return steps + [.rest, step(of: [.set], using: &generator)] }
    // The threads find an index that is not filled yet.
    if Int.random(in: 0..<4, using: &generator) == 0 { return steps + [.storeIndex, .reopen] }
    let last: [Kind] =
      scene == .tight
      ? [.set, .set, .clear, .drop, .everything] : [.set, .clear, .clear, .drop, .everything]
    steps.append(step(of: last, using: &generator))
    return steps
  }

  /// What a thread does; some do one thing alone.
  func kinds(using generator: inout SeededGenerator) -> [Kind] {
    Bool.random(using: &generator) ? common : [common[Int.random(in: 0..<common.count, using: &generator)]]
  }

  /// What a thread does that stays: one closure after the other.
  func stays(using generator: inout SeededGenerator) -> [ScheduleScript.Step] {
    (0..<4).map { _ in
      .hold(key(using: &generator), stepCount: 1 << Int.random(in: 4...10, using: &generator))
    }
  }

  private var fillCount: Int { scene == .crowded || scene == .backedUp ? 40 : 128 }

  private func fillsCollection(_ chance: Int) -> Bool {
    switch scene {
    case .crowded: chance < 2
    case .backedUp: keys[0].isOfCollection
    default: true
    }
  }

  private func key(using generator: inout SeededGenerator) -> ScheduleScript.Key {
    keys[Int.random(in: 0..<keys.count, using: &generator)]
  }

  func step(of kinds: [Kind], using generator: inout SeededGenerator) -> ScheduleScript.Step {
    let key = key(using: &generator)
    let size = sizes[Int.random(in: 0..<sizes.count, using: &generator)]
    let chance = Int.random(in: 0..<4, using: &generator)
    switch kinds[Int.random(in: 0..<kinds.count, using: &generator)] {
    case .set: return .set(key, size: size, expires: expires && chance == 0, isSynced: chance == 1)
    case .read: return .read(key)
    case .hold: return .hold(key, stepCount: 1 << Int.random(in: 0...7, using: &generator))
    case .remove: return .remove(key)
    case .conditional:
      return [.setIfAbsent(key, size: size), .update(key, size: size), .compareAndSet(key, size: size)][
        chance % 3]
    case .batch:
      let count = Int.random(in: 1...3, using: &generator)
      return .batch((0..<count).map { _ in self.key(using: &generator) }, size: size)
    case .many:
      return chance < 2 && scene != .crowded ? .readMany : .iterate(ofCollection: key.isOfCollection)
    case .clear: return .clear
    case .drop: return .drop
    case .everything: return .clearEverything
    case .sync: return .sync
    case .compact: return .compact
    case .checkpoint: return .checkpoint
    case .index: return .storeIndex
    case .wait: return .wait
    case .reopen: return .reopen
    case .fill:
      return .fill(
        first: Int.random(in: 0..<fillCount, using: &generator),
        count: 1 << Int.random(in: 0...4, using: &generator),
        size: scene == .crowded ? 0 : 3, ofCollection: fillsCollection(chance))
    case .thin:
      return .thin(
        first: Int.random(in: 0..<fillCount, using: &generator),
        count: 1 << Int.random(in: 0...6, using: &generator), ofCollection: fillsCollection(chance))
    case .dictionary: return .dictionary(ofCollection: key.isOfCollection)
    }
  }
}
