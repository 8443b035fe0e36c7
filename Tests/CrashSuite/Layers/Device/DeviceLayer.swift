import CrashModel
import Sediment
import SedimentTesting

/// Stores on real file systems of the running kernel, whose device is recorded, so that its power can fail at any moment.
///
/// When the kernel writes does not follow from the seed, so a case may go another way when it is tried again.
struct DeviceLayer: SeededLayer {
  let name = "device"
  let title = "power failures of ext4, XFS and btrfs on a recorded device"
  let unit = "images"
  let isParallel = false
  let caseCount = (short: 16, long: 1_000)

  func replay(_ seed: UInt64) -> LayerResult {
    if let obstacle = DeviceMachine.obstacle { return LayerResult(skipped: obstacle) }
    if seed % Self.fullEach == Self.fullEach - 1 { return replayFull(seed) }
    var trial = DeviceTrial(seed: seed)
    trial.run()
    return LayerResult(
      count: trial.imageCount, caseCount: 1,
      findings: trial.findings.map { SeededFinding(seed: seed, finding: $0) })
  }

  /// One of so many cases fills the disk.
  ///
  /// It shares no divisor with the number of file systems, so each has its turn.
  private static let fullEach: UInt64 = 7

  private func replayFull(_ seed: UInt64) -> LayerResult {
    let fileSystem = DeviceFileSystem(seed: seed)
    var options = DeviceSetup(seed: seed).options
    options.capacity = .unlimited
    var result = LayerResult(count: 1, caseCount: 1)
    do {
      var run = try FullDeviceRun(fileSystem, options, seed: seed)
      try run.run()
    } catch {
      let finding = CrashFinding(
        place: "a full disk, \(fileSystem.rawValue), \(options.access)", reason: "\(error)")
      result.findings = [SeededFinding(seed: seed, finding: finding)]
    }
    return result
  }
}
