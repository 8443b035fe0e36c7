import CrashModel
import Sediment
import SedimentDisk
import SedimentTesting
import Testing

/// Every call to the disk fails, each in its turn, in every way that it can: what is thrown is a store's error, and
/// nothing that was acknowledged is lost.
@Suite struct CrashCallTests {
  /// What a call does instead of what it should.
  struct Fault: CustomStringConvertible {
    var effect: FaultEffect
    var isForGood: Bool
    var description: String { "\(effect)\(isForGood ? " for good" : "")" }
  }

  static let faults: [Fault] = {
    let codes = [
      SystemErrorCode.inputOutput, .noSpace, .quotaExceeded, .interrupted, .tooManyOpenFiles, .noMemory,
    ]
    var effects: [FaultEffect] = codes.map { .error($0) }
    effects += [.errorAfterwards(.inputOutput), .droppedSync(.inputOutput), .droppedSync(.noSpace)]
    effects += [1, 40, 512].map { .shortWrite(byteCount: $0, .noSpace) }
    effects += [.shortWrite(byteCount: 100, .inputOutput)]
    return effects.flatMap { [Fault(effect: $0, isForGood: false), Fault(effect: $0, isForGood: true)] }
  }()

  /// One of so many failures is tried, of each kind and at each call some.
  static let sparseness = CrashEffort.isLong ? 1 : CrashEffort.isSanitized ? 57 : 19

  /// From a file that is not there, through all that writes, to a close and an opening and a close.
  static let fresh: [CrashOperation] = [
    .set(.init("key-0"), byteCount: 30, .unsynced),
    .set(.init("key-1"), byteCount: 3000, .synced),
    .batch([(.init("key-0"), 30), (.init("key-2", in: "a"), 700), (.init("key-1"), nil)], .unsynced),
    .sync,
    .set(.init("key-3"), byteCount: 12_000, .unsynced),
    .remove(.init("key-0"), .synced),
    .set(.init("key-4", in: "a"), byteCount: 130_000 + 3000, .synced),
    .set(.init("key-5"), byteCount: 50, .interval(CrashOperation.interval)),
    .wait,
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
  ]

  /// What follows a recovery.
  static let recovered: [CrashOperation] = [
    .set(.init("key-0"), byteCount: 30, .synced),
    .batch([(.init("key-2", in: "a"), 700), (.init("key-1"), nil)], .unsynced),
    .checkpoint,
    .set(.init("key-6"), byteCount: 131_200, .unsynced),
    .reopen,
  ]

  @Test(arguments: CrashPowerLossTests.accesses)
  func `Whichever call fails from creation to close, nothing acknowledged is lost`(
    _ access: SedimentOptions.Access
  ) throws {
    try failEachCall(of: Self.fresh, access) {
      EngineRecorder(CrashPowerLossTests.disk(seed: 9), access)
    }
  }

  @Test(arguments: CrashPowerLossTests.accesses)
  func `Whichever call fails in a recovery and after it, nothing acknowledged is lost`(
    _ access: SedimentOptions.Access
  ) throws {
    let crashed = EngineRecorder(CrashPowerLossTests.disk(seed: 10), access)
    try crashed.open()
    for operation in Self.fresh[..<11] { try crashed.perform(operation) }
    let state = crashed.disk.crashState
    let left = crashed.afterDeath(at: state.point)
    try failEachCall(of: Self.recovered, access) {
      let image = state.afterProcessDeath()
      image.trimHistory()
      return EngineRecorder(EngineScenario(access), on: image, after: left, firstNumber: 1000)
    }
  }

  /// Carries the operations out again and again, each time with another call that fails.
  private func failEachCall(
    of operations: [CrashOperation], _ access: SedimentOptions.Access, _ make: () -> EngineRecorder
  ) throws {
    let whole = make()
    try whole.open()
    for operation in operations { try whole.perform(operation) }
    try whole.close()
    var count = 0
    for call in 0..<whole.disk.callCount {
      let operation = whole.disk.calls[call].operation
      for (number, fault) in Self.faults.enumerated()
      where applies(fault.effect, to: operation) && (call + number) % Self.sparseness == 0 {
        count += 1
        try fail(call, fault, operations, make(), "\(access), call \(call) \(operation.rawValue), \(fault)")
      }
    }
    CrashEffort.note("\(access): \(count) failures of \(whole.disk.callCount) calls")
  }

  private func applies(_ effect: FaultEffect, to operation: DiskOperation) -> Bool {
    switch effect {
    case .shortWrite: operation == .write
    case .droppedSync: operation == .sync
    default: true
    }
  }

  private func fail(
    _ call: Int, _ fault: Fault, _ operations: [CrashOperation], _ recorder: EngineRecorder, _ place: String
  ) throws {
    let disk = recorder.disk
    if fault.isForGood {
      disk.injectForGood(fault.effect, fromCall: call)
    } else {
      disk.inject(fault.effect, atCall: call)
    }
    var operations = operations[...]
    var eventCount: Int?
    do {
      try recorder.open()
      while let operation = operations.popFirst(), recorder.store != nil {
        try? expectStoreError(place, operation) { try recorder.perform(operation) }
        // Nothing is written any more, whatever is tried.
        if let eventCount, recorder.store != nil {
          #expect(disk.crashPoint == eventCount, "\(place): \(operation)")
        }
        if recorder.isPoisoned, eventCount == nil { eventCount = disk.crashPoint }
      }
    } catch is CrashMismatch {
      Issue.record("\(place): what was there before was not found")
    } catch {
      #expect(error is SedimentError, "\(place): \(error)")
    }
    disk.clearFaults()
    try verify(recorder, place)
  }

  private func expectStoreError(
    _ place: String, _ operation: CrashOperation, _ body: () throws -> Void
  ) throws {
    do {
      try body()
    } catch {
      #expect(error is SedimentError, "\(place): \(operation): \(error)")
      throw error
    }
  }

  /// The store reads well as it is, and whatever comes next finds what was acknowledged.
  private func verify(_ recorder: EngineRecorder, _ place: String) throws {
    let disk = recorder.disk
    let left = recorder.afterDeath(at: disk.crashPoint)
    do {
      if let store = recorder.store {
        disk.setWallClock(to: 1)
        let found = try CrashContents(of: store)
        #expect(
          left.states[left.leastFound...].contains(found),
          "\(place): reads \(found.summary); \(left.operations)")
      }
      let state = disk.crashState
      for plan in [CrashPlan.nothing, .everything, .random(seed: UInt64(state.point))] {
        let left = recorder.afterPowerLoss(at: state.point)
        _ = try EngineRecorder.resume(state.afterPowerLoss(plan), recorder.scenario, left, firstNumber: 2000)
      }
    } catch {
      Issue.record("\(place), before it was closed: \(error); \(left.operations)")
    }
    do {
      try recorder.close()
    } catch {
      #expect(recorder.isPoisoned, "\(place): closing failed with \(error)")
    }
    do {
      let next = try EngineRecorder.resume(disk, recorder.scenario, left, firstNumber: 3000)
      try next.perform(.sync)
      let image = disk.afterPowerLoss(.nothing)
      let left = next.afterPowerLoss(at: disk.crashPoint)
      _ = try EngineRecorder.resume(image, recorder.scenario, left, firstNumber: 4000)
    } catch {
      Issue.record("\(place), after it was closed: \(error); \(left.operations)")
    }
  }
}
