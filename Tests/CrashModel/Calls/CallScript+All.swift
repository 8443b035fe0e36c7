package import Sediment
internal import SedimentTesting

extension CallScript {
  /// From a file that is not there, through all that writes, to a close and an opening and a close.
  package static func creation(_ access: SedimentOptions.Access) -> CallScript {
    CallScript("creation", EngineScenario(access), fresh)
  }

  /// The recovery of what a process left that died, and what follows it.
  package static func recovery(_ access: SedimentOptions.Access) throws -> CallScript {
    try CallScript(
      "recovery", EngineScenario(access), recovered, after: Array(fresh[..<11]), closed: false)
  }

  /// Every script in a way of access.
  package static func all(_ access: SedimentOptions.Access) throws -> [CallScript] {
    let plain = EngineScenario(access)
    let packed = EngineScenario(access, compression: .zstd(level: 1))
    var divided = EngineScenario(access)
    divided.changeByteCountMax = 60
    let evicting = EngineScenario(access, mix: .eviction, evictingByteCount: 512 << 10)
    return [
      creation(access), try recovery(access),
      try CallScript("compaction", plain, compacting, after: sparse, closed: true),
      try CallScript("recovery of a compaction", plain, recovered, after: sparse + [.compact], closed: false),
      try CallScript("eviction", evicting, full, after: filling(of: evicting.mix), closed: true),
      try CallScript("stored index", plain, storing, after: sparse + [.storeIndex], closed: false),
      CallScript("compression", packed, packing),
      try CallScript("compaction in parts", divided, dividing, after: long, closed: false),
    ]
  }

  // MARK: The operations

  private static let fresh: [CrashOperation] = [
    .set(.init("key-0"), byteCount: 30, .unsynced),
    .set(.init("key-1"), byteCount: 3000, .synced),
    .batch([(.init("key-0"), 30), (.init("key-2", in: "a"), 700), (.init("key-1"), nil)], .unsynced),
    .sync,
    .set(.init("key-3"), byteCount: 12_000, .unsynced),
    .remove(.init("key-0"), .synced),
    .set(.init("key-4", in: "a"), byteCount: 130_000 + 3000, .synced),
    .set(.init("key-5"), byteCount: 50, .interval(CrashOperation.interval)),
    .wait,
    .jump(.seconds(1_000_000_000)),
    .sync,
    .jump(.seconds(-1_000_086_400)),
    .setExpiry(.init("key-4", in: "a"), lifetime: .milliseconds(25), .unsynced),
    .batch([(.init("key-6"), 131_500), (.init("key-7"), 9000)], .synced),
    .checkpoint,
    .clear("a", .unsynced),
    .update(.init("key-5"), .unsynced),
    .background,
    .reopen,
    .remove(.init("key-6"), .unsynced),
    .drop("a", .synced),
    .removeEverything(.unsynced),
    .set(.init("key-1"), byteCount: 30, .unsynced),
    .reopen,
    // A record that the sweep cannot read must be swept later. Opening would do it, so none follows.
    .set(.init("key-2", in: "b"), byteCount: 30, .unsynced),
    .clear("b", .unsynced),
    .background,
  ]

  private static let recovered: [CrashOperation] = [
    .set(.init("key-0"), byteCount: 30, .synced),
    .batch([(.init("key-2", in: "a"), 700), (.init("key-1"), nil)], .unsynced),
    .checkpoint,
    .set(.init("key-6"), byteCount: 131_200, .unsynced),
    .reopen,
  ]

  /// Leaves several segments of which most is dead.
  private static let sparse: [CrashOperation] =
    [
      .set(.init("key-0"), byteCount: 30, .unsynced),
      .set(.init("key-1", in: "a"), byteCount: 700, .unsynced),
    ]
    + (0..<10).flatMap { number -> [CrashOperation] in
      [
        .set(.init("key-2"), byteCount: 9000 + number, .unsynced),
        .set(.init("key-\(3 + number % 3)"), byteCount: 100, .unsynced),
      ]
    } + [.remove(.init("key-3"), .unsynced), .set(.init("key-6"), byteCount: 131_200, .synced)]

  private static let compacting: [CrashOperation] = [
    .compact,
    .set(.init("key-2"), byteCount: 9000, .unsynced),
    .remove(.init("key-6"), .unsynced),
    .sync,
    .set(.init("key-2"), byteCount: 9000, .unsynced),
    .compact,
    .set(.init("key-2"), byteCount: 9000, .synced),
    .set(.init("key-4"), byteCount: 9000, .interval(CrashOperation.interval)),
    .background,
    .wait,
    .compact,
    .reopen,
    .set(.init("key-0"), byteCount: 40, .synced),
    .reopen,
  ]

  /// Fills many segments behind what is going to be removed.
  private static let long: [CrashOperation] =
    (0..<10).map { .set(.init("gone-\($0)"), byteCount: 40_000, .unsynced) }
    + (0..<100).map { .set(.init("kept-\($0)"), byteCount: 3000, .unsynced) }
    + [.checkpoint]

  private static let dividing: [CrashOperation] =
    (0..<10).map { .remove(.init("gone-\($0)"), .unsynced) } + [
      .set(.init("key-0"), byteCount: 12_770, .synced),
      // The segment of the log ends between the parts that say what this frees: the planted bug change-parts-between
      // is found by that alone.
      .compact,
      .set(.init("key-0"), byteCount: 40, .synced),
      .reopen,
    ]

  private static let storing: [CrashOperation] = [
    .set(.init("key-0"), byteCount: 40, .unsynced),
    .storeIndex,
    .remove(.init("key-1", in: "a"), .synced),
    .storeIndex,
    .sync,
    .reopen,
    .set(.init("key-2"), byteCount: 100, .unsynced),
    .reopen,
  ]

  private static let packing: [CrashOperation] = [
    .set(.init("key-0"), byteCount: 900, .unsynced),
    .batch([(.init("key-1"), 3000), (.init("key-2", in: "a"), 6000)], .synced),
    .set(.init("key-3"), byteCount: 250_000, .unsynced),
    .update(.init("key-0"), .unsynced),
    .set(.init("key-1"), byteCount: 12_000, .unsynced),
    .set(.init("key-1"), byteCount: 20_000, .unsynced),
    .compact,
    .sync,
    .reopen,
    .set(.init("key-3"), byteCount: 900, .synced),
    .reopen,
  ]

  private static let full: [CrashOperation] =
    (0..<10).flatMap { number -> [CrashOperation] in
      [
        .set(
          .init("key-\(number % 8)"), byteCount: 11_000, lifetime: number % 2 == 0 ? .seconds(86_400) : nil,
          number % 3 == 0 ? .synced : .unsynced),
        .jump(.seconds(number % 2 == 0 ? 31_536_000 : -31_536_000)),
        number % 4 == 3 ? .background : .set(.init("key-\(number % 5)", in: "a"), byteCount: 9000, .unsynced),
      ]
    } + [
      // It goes on in other segments.
      .batch([(.init("key-1"), 9000), (.init("key-2", in: "a"), 12_000), (.init("key-3"), 8000)], .unsynced),
      .set(.init("key-7"), byteCount: 135_000, .unsynced), .reopen,
    ]

  /// Fills a store that evicts to its brim.
  private static func filling(of mix: CrashMix) -> [CrashOperation] {
    var generator = SeededGenerator(seed: 5)
    return (0..<120).map { _ in mix.random(using: &generator) }
      + (0..<16).map { .set(.init("key-\($0 % 8)", in: $0 < 8 ? "" : "a"), byteCount: 20_000, .unsynced) }
  }
}
