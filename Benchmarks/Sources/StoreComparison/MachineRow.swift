internal import BenchmarkHarness
internal import MachineLimits

/// What the machine takes in the same rounds as the stores, by which their processor time is judged.
struct MachineRow {
  /// Names the figure for machines.
  static let read = "100-machine-read"

  private static let byteCount = 256 << 20
  private static let stepCount = 500_000

  /// A read from memory that waits for the one before; the table that it reads is there only meanwhile.
  static var group: BenchmarkGroup {
    BenchmarkGroup(
      "The machine in the same rounds",
      [
        Benchmark(
          read, name: "one DRAM read", meaning: "each waits for the one before",
          method: "A ring through the lines of \(byteCountText(byteCount)) in random order.", isLimit: true
        ) {
          var random = SplitMix64(seed: 106)
          return try PointerRing(byteCount: byteCount, random: &random).walk(stepCount: stepCount)
        }
      ])
  }
}
