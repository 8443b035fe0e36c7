internal import Sediment
package import SedimentDisk
internal import SedimentTesting

/// Operations that are carried out again and again, each time with another call to the disk that goes wrong.
package struct CallScript: CustomStringConvertible, Sendable {
  package let name: String
  package private(set) var scenario: EngineScenario
  /// One of the last closes the store and opens it again, so that whatever was put off is told.
  package let operations: [CrashOperation]
  /// What is there before; nil for nothing.
  private let before: Before?

  /// What a process left that died or closed the store in order.
  private struct Before: Sendable {
    var state: CrashState
    var left: CrashLeftover<CrashContents>
  }

  /// A script that begins with no file.
  init(_ name: String, _ scenario: EngineScenario, _ operations: [CrashOperation]) {
    self.name = name
    self.scenario = scenario
    self.scenario.hasFaults = true
    self.operations = operations
    before = nil
  }

  /// A script that begins with what others left behind.
  init(
    _ name: String, _ scenario: EngineScenario, _ operations: [CrashOperation], after first: [CrashOperation],
    closed: Bool
  ) throws {
    self.name = name
    self.scenario = scenario
    self.scenario.hasFaults = true
    self.operations = operations
    let recorder = EngineRecorder(scenario, on: Self.disk(scenario.access))
    try recorder.open()
    for operation in first {
      do {
        try recorder.perform(operation)
      } catch let error as SedimentError where error.code == .outOfSpace {}
    }
    if closed { try recorder.close() }
    let state = recorder.disk.crashState
    before = Before(
      state: state, left: closed ? CrashLeftover(recorder.current) : recorder.afterDeath(at: state.point))
  }

  /// The store that the operations are carried out on, on a disk of its own; not open yet.
  func recorder() throws -> EngineRecorder {
    guard let before else { return EngineRecorder(scenario, on: Self.disk(scenario.access)) }
    let image = before.state.afterProcessDeath()
    image.trimHistory()
    return EngineRecorder(scenario, on: image, after: before.left, firstNumber: 1000)
  }

  /// The calls of the script, where none goes wrong, from the opening to the close.
  package func calls() throws -> [DiskOperation] {
    let recorder = try recorder()
    try recorder.open()
    for operation in operations {
      do {
        try recorder.perform(operation)
      } catch let error as SedimentError where error.code == .outOfSpace {}
    }
    try recorder.close()
    return recorder.disk.calls.map(\.operation)
  }

  package var description: String { "\(name), \(scenario.access)" }

  /// A disk of a machine that goes with the way of access.
  private static func disk(_ access: SedimentOptions.Access) -> SimulatedDisk {
    let machine =
      switch access {
      case .automatic: CrashMachine()
      case .windowless: CrashMachine(pageByteCount: 65_536, punchesHoles: false)
      default: CrashMachine(pageByteCount: 16_384, allocatesBlocks: false, refusals: [.directorySyncs])
      }
    return machine.disk(SimulatedDiskOptions(seed: 9, fileByteCountMax: 8 << 20))
  }
}
