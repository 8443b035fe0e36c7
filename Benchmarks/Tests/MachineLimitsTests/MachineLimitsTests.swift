import BenchmarkHarness
import Foundation
import MachineLimits
import Testing

@Suite struct MachineLimitsTests {
  @Test func `every benchmark runs, and all files are gone afterwards`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let scale = Scale(largeByteCount: 16 << 20, writtenByteCount: 1 << 20, divisor: 100_000)
    try runAll(MachineLimits(scale: scale, directory: folder.path))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  private func runAll(_ limits: MachineLimits) throws {
    let benchmarks = limits.groups.flatMap(\.benchmarks)
    let outcomes = try Rounds(count: 1).run(benchmarks)
    for (benchmark, outcome) in zip(benchmarks, outcomes) where outcome.unsupported == nil {
      #expect(outcome.samples.count == 1, "\(benchmark.identifier)")
      #expect(outcome.samples.allSatisfy { $0 > 0 && $0.isFinite }, "\(benchmark.identifier)")
    }
    #expect(Set(benchmarks.map(\.identifier)).count == benchmarks.count)
  }

  @Test func `the tables shrink on a machine with little memory`() {
    #expect(Scale.full(memoryByteCount: 24 << 30).largeByteCount == 512 << 20)
    #expect(Scale.full(memoryByteCount: 4 << 30).largeByteCount == 256 << 20)
    #expect(Scale.full(memoryByteCount: 0).largeByteCount == 64 << 20)
  }

  @Test func `a scale divides counts and never makes them zero`() {
    #expect(Scale.full(memoryByteCount: 24 << 30).operations(300) == 300)
    #expect(Scale.quick.operations(300) == 6)
    #expect(Scale.quick.operations(1) == 1)
  }
}
