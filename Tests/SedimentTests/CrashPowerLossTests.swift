import Sediment
import SedimentDisk
import SedimentTesting
import Testing

/// The live engine on a disk whose power fails at every moment of its history.
@Suite(.serialized) struct CrashPowerLossTests {
  /// Counts what was tried, so that a test can say it.
  final class Tally {
    var images = 0
    var byDepth = [0, 0, 0, 0]
  }

  static let plans = CrashPlanOptions(exhaustiveCountMax: 16, randomCount: 6, countMax: CrashEffort.of(4, long: 40))
  static let accesses: [SedimentOptions.Access] = [.automatic, .mappedForReading, .unmapped]

  static func disk(seed: UInt64) -> SimulatedDisk {
    SimulatedDisk(SimulatedDiskOptions(seed: seed, fileByteCountMax: 4 << 20))
  }

  @Test(arguments: 0..<CrashEffort.of(12, long: 300))
  func `Whatever a power failure leaves of a random history is a prefix of it that has what was synced`(
    _ seed: Int
  ) throws {
    var generator = SeededGenerator(seed: UInt64(seed) &* 7919 &+ 1)
    let access = Self.accesses[seed % 3]
    let recorder = CrashRecorder(Self.disk(seed: UInt64(seed)), access)
    try recorder.open()
    for _ in 0..<40 { try recorder.perform(.random(using: &generator)) }
    let tally = Tally()
    try explore(recorder, access, "seed \(seed)", depth: 3, tally, &generator)
    print("power loss, seed \(seed), \(access): \(tally.images) images, by depth \(tally.byDepth[1...])")
  }

  @Test(arguments: 0..<3)
  func `Every kind of operation once, in every way of access`(_ way: Int) throws {
    let access = Self.accesses[way]
    let recorder = CrashRecorder(Self.disk(seed: 77), access)
    try recorder.open()
    for operation in Self.script { try recorder.perform(operation) }
    var generator = SeededGenerator(seed: UInt64(way) + 100)
    let tally = Tally()
    try explore(recorder, access, "script", depth: 2, tally, &generator)
    print("power loss, script, \(access): \(tally.images) images, by depth \(tally.byDepth[1...])")
  }

  static let script: [CrashOperation] = [
    .set(key: "key-0", in: "", byteCount: 20, lifetime: nil, .unsynced),
    .set(key: "key-1", in: "", byteCount: 3000, lifetime: nil, .synced),
    .batch([("key-0", "", 30), ("key-2", "a", 700), ("key-1", "", nil)], .unsynced),
    .set(key: "key-3", in: "a", byteCount: 12_000, lifetime: nil, .unsynced),
    .wait,
    .batch([("key-4", "", 9000), ("key-5", "", 9000), ("key-0", "b", 20)], .synced),
    .remove(key: "key-0", in: "", .synced),
    .set(key: "key-6", in: "", byteCount: 140_000, lifetime: nil, .unsynced),
    .set(key: "key-0", in: "", byteCount: 20, lifetime: .milliseconds(30), .unsynced),
    .sync,
    .reopen,
    .clear("a", .unsynced),
    .set(key: "key-3", in: "a", byteCount: 50, lifetime: nil, .unsynced),
    .checkpoint,
    .drop("b", .synced),
    .batch([("key-6", "", 131_100), ("key-7", "", 20)], .synced),
    .reopen,
    .removeEverything(.unsynced),
    .set(key: "key-1", in: "", byteCount: 20, lifetime: nil, .unsynced),
    .reopen,
  ]

  @Test(arguments: 0..<CrashEffort.of(3, long: 60))
  func `When the process dies, everything that was acknowledged is there`(_ seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed) &* 104_729 &+ 3)
    let access = Self.accesses[seed % 3]
    let recorder = CrashRecorder(Self.disk(seed: UInt64(seed) + 50), access)
    try recorder.open()
    for _ in 0..<40 { try recorder.perform(.random(using: &generator)) }
    let tally = Tally()
    let history = recorder.disk.history
    for state in history {
      let place = "seed \(seed), death at \(state.point)"
      try verify(state.afterProcessDeath(), access, recorder, recorder.afterDeath(at: state.point), place, tally)
      let range = history.interruptionRange(at: state.point)
      guard let count = range.randomElement(using: &generator), Int.random(in: 0..<8, using: &generator) == 0
      else { continue }
      let torn = history.state(at: state.point, interruptedAfter: count).afterProcessDeath()
      let allowed = recorder.afterDeath(at: state.point).lowerBound...recorder.afterDeath(at: state.point + 1).upperBound
      try verify(torn, access, recorder, allowed, "\(place), after \(count) bytes", tally)
    }
    print("process death, seed \(seed), \(access): \(tally.images) images")
  }

  // MARK: Trying

  /// Crashes at every moment of a recorder's history, and goes on from some of what is left.
  private func explore(
    _ recorder: CrashRecorder, _ access: SedimentOptions.Access, _ name: String, depth: Int, level: Int = 1,
    _ tally: Tally, _ generator: inout SeededGenerator
  ) throws {
    for state in recorder.disk.history {
      if level > 1, Int.random(in: 0..<(level == 2 ? 12 : 40), using: &generator) != 0 { continue }
      let allowed = recorder.afterPowerLoss(at: state.point)
      for choice in state.plans(Self.plans, seed: generator.next()) {
        let place = "\(name), level \(level), point \(state.point), \(choice)"
        tally.byDepth[level] += 1
        let next = try verify(state.afterPowerLoss(choice), access, recorder, allowed, place, tally)
        guard let next, level < depth, Int.random(in: 0..<40, using: &generator) == 0 else { continue }
        for _ in 0..<6 { try next.perform(.random(using: &generator)) }
        try explore(next, access, place, depth: depth, level: level + 1, tally, &generator)
      }
    }
  }

  /// Opens what a crash left, compares it with what may be there, and uses it; what was recorded of that.
  @discardableResult
  private func verify(
    _ image: SimulatedDisk, _ access: SedimentOptions.Access, _ recorder: CrashRecorder,
    _ allowed: ClosedRange<Int>, _ place: String, _ tally: Tally
  ) throws -> CrashRecorder? {
    tally.images += 1
    image.trimHistory()
    // The clock goes back to before anything expired, so that nothing hides.
    let time = image.wallClock()
    image.setWallClock(to: 1)
    let next = CrashRecorder(image, access, firstNumber: 1_000_000 + tally.images * 1000)
    do {
      try next.open()
      let found = next.current
      guard recorder.states[allowed].contains(found) else {
        let near = recorder.states.indices.filter { recorder.states[$0] == found }
        Issue.record(
          "\(place): found \(found.summary), states \(near); allowed \(allowed): \(recorder.states[allowed.lowerBound].summary); \(recorder.operations(around: allowed))"
        )
        return nil
      }
      image.setWallClock(to: time)
      try next.perform(.set(key: "key-0", in: "", byteCount: 24, lifetime: nil, .synced))
      try next.perform(.batch([("key-1", "", 24), ("key-2", "", nil)], .unsynced))
      try next.perform(.reopen)
      let again = try CrashContents(of: try #require(next.store))
      if again != next.current.visible(at: time) {
        Issue.record("\(place): reopened \(again.summary), expected \(next.current.summary)")
      }
      return next
    } catch {
      Issue.record("\(place): \(error)")
      return nil
    }
  }
}
