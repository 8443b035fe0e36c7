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
    var trial = DeviceTrial(seed: seed)
    trial.run()
    return LayerResult(
      count: trial.imageCount, caseCount: 1,
      findings: trial.findings.map { SeededFinding(seed: seed, finding: $0) })
  }
}
