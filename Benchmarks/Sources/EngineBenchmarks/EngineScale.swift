package import MachineLimits
internal import StoreComparison

/// How much the engine's rows store and do.
package struct EngineScale: Equatable, Sendable {
  /// How many keys a store has whose reads are measured.
  package var keyCount: Int

  /// To how many keys a store grows whose slowest sets are looked for.
  package var growthKeyCount: Int

  /// For how many rounds a store is killed and opened again, or grows.
  package var slowRoundCount: Int

  /// For how many seconds keys are overwritten until a store is in its steady state.
  package var overwritingSeconds: Double

  /// The scale of the bare loops.
  package var limits: Scale

  package init(
    keyCount: Int, growthKeyCount: Int, slowRoundCount: Int, overwritingSeconds: Double, limits: Scale
  ) {
    self.overwritingSeconds = overwritingSeconds
    self.keyCount = keyCount
    self.growthKeyCount = growthKeyCount
    self.slowRoundCount = slowRoundCount
    self.limits = limits
  }

  /// A run whose figures mean something.
  package static func full(_ limits: Scale) -> EngineScale {
    EngineScale(
      keyCount: 1_000_000, growthKeyCount: 10_000_000, slowRoundCount: 3, overwritingSeconds: 30,
      limits: limits)
  }

  /// A run of a few seconds that only proves that everything works.
  package static let quick = EngineScale(
    keyCount: 20_000, growthKeyCount: 50_000, slowRoundCount: 1, overwritingSeconds: 0.2, limits: .quick)
}

/// What a record of the engine takes with a key of the benchmarks' and a value that neither expires nor is compressed.
package func recordByteCountOfValue(_ valueByteCount: Int) -> Int {
  let headByteCount = 16
  return (headByteCount + BenchmarkKey.byteCount + valueByteCount + 7) / 8 * 8
}
