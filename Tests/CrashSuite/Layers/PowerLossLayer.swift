import CrashModel
import Sediment
import SedimentTesting

/// Random histories on a simulated disk whose power fails, or whose process dies, at every moment, three deep.
struct PowerLossLayer: SeededLayer {
  let name = "power-loss"
  let title = "power failures and deaths at every moment of simulated histories"
  let unit = "images"
  let caseCount = (short: 45, long: 3_300)

  func replay(_ seed: UInt64) -> LayerResult {
    var check = CrashCheck(Self.scenario(seed))
    check.operationCount = 30
    // Segments are emptied and used again only once there is something in them.
    check.warmUpCount = check.scenario.mix.compactsOften ? 100 : 0
    check.depth = 3
    let machine = CrashMachine(seed: seed)
    check.disk = machine.applied(to: check.disk)
    check.plans = CrashPlanOptions(exhaustiveCountMax: 4096, randomCount: 64, countMax: 8)
    let report = check.run(seed: seed)
    return LayerResult(
      count: report.imageCount, caseCount: 1,
      findings: report.findings.map { finding in
        let place = "\(finding.place) (\(machine))"
        return SeededFinding(
          seed: seed,
          finding: CrashFinding(place: place, reason: finding.reason, operations: finding.operations))
      })
  }

  /// Every way of access, mix, eviction and compression in turn.
  static func scenario(_ seed: UInt64) -> EngineScenario {
    let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]
    var scenario = EngineScenario(accesses[Int((seed + seed / 6) % 3)])
    switch seed % 6 {
    case 1, 3: scenario.mix = .churn
    case 5:
      scenario.mix = .eviction
      scenario.mix.largePerThousand = 0
      scenario.mix.byteCountMax = 20_000
      scenario.mix.ownPerTen = 4
      // What there are keys for takes more than that.
      scenario.evictingByteCount = [128, 192, 256][Int(seed / 6 % 3)] << 10
    case let number: scenario.mix = CrashMix.all[Int(number / 2)]
    }
    if seed % 7 < 3 { scenario.changeByteCountMax = 60 }
    if seed % 5 == 4 { scenario.compression = .zstd(level: 1) }
    return scenario
  }
}
