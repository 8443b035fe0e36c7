package import Sediment
internal import SedimentTesting

/// How the layer `device` uses a store, as follows from a seed.
package struct DeviceSetup: Sendable {
  package let seed: UInt64
  package let access: SedimentOptions.Access
  private let use: Use
  private let storesIndex: Bool
  private let isCompressed: Bool
  private let hasShortChanges: Bool

  /// What a store is used for.
  private enum Use: CaseIterable {
    case mixed, churn, evicting, large
    /// Many small changes between syncs, which the window takes together.
    case windowed
  }

  package init(seed: UInt64) {
    self.seed = seed
    // Not the numbers that a case chooses its moments by.
    var generator = SeededGenerator(seed: seed ^ 0x6465_7669_6365)
    func isOne(of count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
    let accesses: [SedimentOptions.Access] = [.automatic, .automatic, .windowless, .unmapped]
    let chosen = accesses[Int.random(in: 0..<accesses.count, using: &generator)]
    use = Use.allCases[Int.random(in: 0..<Use.allCases.count, using: &generator)]
    access = use == .windowed ? .automatic : chosen
    storesIndex = !isOne(of: 4)
    isCompressed = isOne(of: 4)
    hasShortChanges = isOne(of: 3)
  }

  package var options: SedimentOptions {
    var options = SedimentOptions(
      durability: .unsynced, access: access, compression: isCompressed ? .zstd(level: 1) : .off,
      storesIndex: storesIndex)
    // Some dead records are enough for the background to move live ones.
    options.slackSlotCount = 3
    options.useSmallWindow()
    if hasShortChanges { options.changeByteCountMax = 60 }
    if isEvicting { options.capacity = .evicting(maxBytes: 512 << 10) }
    return options
  }

  package var isEvicting: Bool { use == .evicting }

  /// How many operations a history takes, of which small ones are quick.
  package var operationCount: Int {
    switch use {
    case .windowed: 200
    // More than the capacity holds.
    case .evicting: 150
    default: 60
    }
  }

  package var description: String {
    "\(use), \(access)\(storesIndex ? "" : ", no stored index")\(isCompressed ? ", compressed" : "")"
  }

  private var mix: CrashMix {
    var mix = CrashMix(ofThread: nil)
    switch use {
    case .mixed: break
    case .churn, .evicting:
      mix.byteCountMax = isEvicting ? 20_000 : 6_000
      mix.compactsOften = true
      mix.isBlind = isEvicting
      if isEvicting { mix.largePerThousand = 0 }
    case .large: (mix.byteCountMax, mix.largePerThousand, mix.ownPerTen) = (300, 150, 3)
    case .windowed: mix.largePerThousand = 0
    }
    return mix
  }

  /// The operation of a number.
  package func operation(_ number: Int) -> CrashOperation {
    if number % 29 == 17 { return .reopen }
    switch mix.operation(number: number, seed: seed) {
    // The background has threads of its own.
    case .background: return .sync
    case .set(let place, let byteCount, _, _) where use == .windowed:
      return .set(place, byteCount: byteCount, .unsynced)
    case .remove where use == .windowed: return .sync
    case .batch(let members, _) where use == .windowed:
      return .set(members[0].place, byteCount: members[0].byteCount ?? 20, .unsynced)
    case let operation: return operation
    }
  }

  /// Whether a backup is made after the operation of a number.
  package func isCopied(after number: Int) -> Bool { number % 19 == 7 }

  /// What happens beside the store after the operation of a number, in the page cache above all.
  package func writeback(after number: Int) -> Writeback {
    var generator = SeededGenerator(seed: seed &+ UInt64(number) &* 0x9E37_79B9)
    switch Int.random(in: 0..<12, using: &generator) {
    case 0..<3:
      return .part(Double.random(in: 0..<1, using: &generator), Double.random(in: 0..<1, using: &generator))
    case 3: return .file
    case 4: return .fileSystem
    // Most of what an idle store does it does within that.
    case 5 where number % 4 == 0: return .rest(microseconds: 150_000)
    default: return .nothing
    }
  }

  package enum Writeback {
    case nothing
    /// Begins to write the pages of a part of the file, and lets go of those that are written: where the part begins, and
    /// how long it is, as parts of the file's length.
    case part(Double, Double)
    case file
    /// Writes the changes of the file system itself.
    case fileSystem
    /// Nothing happens for some time.
    case rest(microseconds: UInt32)
  }
}

// MARK: States

extension DeviceSetup {
  /// The number of uncertain changes with which a store holds what was found, of at least so many; nil if none explains it.
  package func match(_ found: CrashContents, _ past: DevicePast, least: Int) -> Int? {
    var contents = state(past.fixed)
    var match = least == 0 && accepts(found, contents) ? 0 : nil
    for (index, number) in past.tail.enumerated() {
      contents.apply(operation(number), number: number, time: 0)
      if index + 1 >= least, accepts(found, contents) { match = index + 1 }
    }
    return match
  }

  /// Whether a store holds what changes leave.
  package func matches(_ found: CrashContents, _ numbers: [Int]) -> Bool { accepts(found, state(numbers)) }

  /// Whether each key of a store has a value that it was given by a change before the one of a number.
  package func hasGiven(_ found: CrashContents, before next: Int) -> Bool {
    found.collections.allSatisfy { name, entries in
      entries.allSatisfy {
        hasGiven($0.value.value, to: CrashOperation.Place($0.key, in: name), before: next)
      }
    }
  }

  /// Whether a value is one that a key was given by a change before the one of a number; it begins with its change's.
  package func hasGiven(_ value: [UInt8], to place: CrashOperation.Place, before next: Int) -> Bool {
    let digits = value.prefix { $0 != UInt8(ascii: " ") }
    guard let number = Int(String(decoding: digits, as: UTF8.self)), (1..<next).contains(number) else {
      return false
    }
    return operation(number).values(of: place, number, byteCount: value.count).contains(value)
  }

  private func state(_ numbers: [Int]) -> CrashContents {
    var contents = CrashContents()
    for number in numbers { contents.apply(operation(number), number: number, time: 0) }
    return contents
  }

  /// What a store holds at the least, with so many of the uncertain changes.
  package func summary(_ past: DevicePast, least: Int) -> String {
    state(past.fixed + past.tail.prefix(least)).withoutEmptyCollections.summary
  }

  /// Collections without keys do not count: a set that is refused may have made one.
  private func accepts(_ found: CrashContents, _ expected: CrashContents) -> Bool {
    let found = found.withoutEmptyCollections
    guard isEvicting else { return found == expected.withoutEmptyCollections }
    return found.collections.allSatisfy { name, entries in
      entries.allSatisfy { expected.collections[name]?[$0.key] == $0.value }
    }
  }
}

extension CrashOperation {
  /// What it may give a key, of so many bytes if that depends on the last value.
  fileprivate func values(of place: Place, _ number: Int, byteCount: Int) -> [[UInt8]] {
    let byteCounts: [Int?] =
      switch self {
      case .set(place, let byteCount, _, _), .setIfAbsent(place, let byteCount, _): [byteCount]
      case .update(place, _): [byteCount]
      case .batch(let members, _): members.filter { $0.place == place }.map(\.byteCount)
      default: []
      }
    return byteCounts.compactMap { $0.map { Self.value(number, place, $0) } }
  }
}

extension CrashContents {
  package var withoutEmptyCollections: CrashContents {
    var contents = self
    contents.collections = collections.filter { !$0.value.isEmpty }
    return contents
  }
}
