import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Crashes while a dictionary comes, is moved and goes.
@Suite struct CrashDictionaryTests {
  /// A store whose first dictionary is about to be trained, with the history of what follows.
  private static func prepared(_ access: SedimentOptions.Access) throws -> (StoreFixture, Int) {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 3, fileByteCountMax: 8 << 20))
    let fixture = try StoreFixture(access, compression: .automatic, on: disk)
    let probe = try StoreFixture(access, compression: .automatic)
    let trained = try probe.setUntilTrained()
    for number in 0..<trained { try fixture.store.set(Samples.json(number), forKey: "\(number)") }
    try fixture.store.sync()
    return (fixture, trained)
  }

  @Test(arguments: accesses)
  func `Whenever the power fails, what is there can be read, and is a prefix of what was set`(
    access: SedimentOptions.Access
  ) throws {
    let (fixture, trained) = try Self.prepared(access)
    fixture.disk.trimHistory()
    fixture.scheduler.runDue()
    #expect(fixture.store.statistics.dictionaryCount == 1)
    for number in trained..<trained + 30 { try fixture.store.set(Samples.json(number), forKey: "\(number)") }
    try fixture.store.sync()
    for number in 0..<trained / 2 { try fixture.store.set(Samples.json(number), forKey: "\(number)") }
    try fixture.store.compact()
    let plans = CrashPlanOptions(
      exhaustiveCountMax: 16, randomCount: 4, countMax: TestEffort.of(2, long: 20))
    var imageCount = 0
    for (number, state) in fixture.disk.history.enumerated() where number % 3 == 0 || TestEffort.isLong {
      for choice in state.plans(plans, seed: 7) {
        let image = state.afterPowerLoss(choice)
        let after = try StoreFixture(access, compression: .automatic, on: image)
        let count = try after.store.count()
        #expect(count >= trained && count <= trained + 30)
        try after.checkJSON(stride(from: 0, to: count, by: 7))
        try after.checkJSON(max(count - 40, 0)..<count)
        #expect(after.store.statistics.lostDictionaryCount == 0)
        try after.close()
        imageCount += 1
      }
    }
    #expect(imageCount > 20)
  }

  @Test(arguments: accesses)
  func `Whenever the power fails while a dictionary ends, no value needs it`(
    access: SedimentOptions.Access
  ) throws {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 4, fileByteCountMax: 8 << 20))
    let fixture = try StoreFixture(access, compression: .automatic, on: disk)
    try fixture.setTwoMakes(recordCount: 4_000)
    try fixture.store.sync()
    fixture.disk.trimHistory()
    let number = 1_490
    for number in 0..<1_500 { try fixture.store.remove(forKey: "\(number)") }
    try fixture.store.compact()
    #expect(fixture.store.statistics.dictionaryCount == 1)
    try fixture.store.sync()
    let plans = CrashPlanOptions(
      exhaustiveCountMax: 16, randomCount: 4, countMax: TestEffort.of(2, long: 20))
    var endedCount = 0
    let states = Array(fixture.disk.history)
    // The end itself is among the last moments.
    for (place, state) in states.enumerated()
    where place % 60 == 0 || place > states.count - 20 || TestEffort.isLong {
      for choice in state.plans(plans, seed: 11) {
        let after = try StoreFixture(access, compression: .automatic, on: state.afterPowerLoss(choice))
        // The removals are a beginning of those that were made.
        let first = (0..<1_500).first { (try? after.store.contains("\($0)")) ?? false } ?? 1_500
        try after.checkJSON(stride(from: first, to: 1_500, by: 41))
        if first <= number { try after.checkJSON(number...number) }
        for number in stride(from: 0, to: 4_000, by: 97) {
          let value = try after.store.retrieve(forKey: "record \(number)")
          #expect(same(value, Samples.record(number)))
        }
        #expect(after.store.statistics.lostDictionaryCount == 0)
        if after.store.statistics.dictionaryCount == 1 { endedCount += 1 }
        try after.close()
      }
    }
    #expect(endedCount > 0)
  }
}
