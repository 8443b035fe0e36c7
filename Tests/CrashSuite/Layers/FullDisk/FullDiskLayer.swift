import Sediment
import SedimentTesting

/// Every operation at every fill level within the last MiB of a real file system, and stores on a read-only one.
///
/// The background works meanwhile, so a case may go another way when it is tried again.
struct FullDiskLayer: SeededLayer {
  let name = "full-disk"
  let title = "every operation on a file system that is full, and on one that is read-only"
  let unit = "operations at a fill level"
  /// In a long run every operation at every level in each way of access.
  let isParallel = false
  var caseCount: (short: Int, long: Int) {
    let all = Self.readOnlyCount + Self.operations.count * Self.levelCount
    return (short: Self.readOnlyCount + Self.operations.count * 16, long: all * 3)
  }

  private static let operations = FullDiskOperation.allCases
  /// From nothing to a MiB in blocks of 4 KiB.
  private static let levelCount = 257
  private static let readOnlyCount = 6

  func replay(_ seed: UInt64) -> LayerResult {
    guard PrivateMounts.areAllowed else {
      return LayerResult(skipped: "file systems cannot be mounted here, not even in a namespace")
    }
    var place = ""
    do {
      if seed < UInt64(Self.readOnlyCount) {
        let options = Self.options(Int(seed) / 2)
        place = "a read-only file system, \(options.access)"
        try ReadOnlyDiskRun.run(options, isCopied: seed % 2 == 1)
      } else {
        let number = Int(seed) - Self.readOnlyCount
        let round = number / Self.operations.count
        // All levels in turn, and far from one another at first.
        let level = round * 97 % Self.levelCount
        // There are 257 levels, so each of them meets another way of access in each of three rounds.
        let options = Self.options(round)
        let operation = Self.operations[number % Self.operations.count]
        place = "\(operation) with \(level * 4) KiB left, \(options.access), compaction \(options.compaction)"
        var run = try FullDiskRun(operation, freeByteCount: level * 4096, options, seed: seed)
        try run.run()
      }
    } catch {
      let finding = CrashFinding(place: "seed \(seed), \(place)", reason: "\(error)")
      return LayerResult(count: 1, caseCount: 1, findings: [SeededFinding(seed: seed, finding: finding)])
    }
    return LayerResult(count: 1, caseCount: 1)
  }

  private static func options(_ number: Int) -> SedimentOptions {
    let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]
    var options = SedimentOptions(
      durability: .unsynced, access: accesses[number % 3],
      compaction: number / 3 % 2 == 0 ? .automatic : .manual, compression: .off)
    options.slackSlotCount = 3
    options.useSmallWindow()
    return options
  }
}
