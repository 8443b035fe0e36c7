import BenchmarkHarness
import EngineBenchmarks
import Foundation
import MachineLimits
import Sediment
import Testing
import StoreComparison

@Suite struct EngineBenchmarksTests {
  // So many keys make the index grow, whatever its hash.
  private static let scale = EngineScale(
    keyCount: 2000, growthKeyCount: 30_000, slowRoundCount: 1, overwritingSeconds: 0.05,
    limits: Scale(largeByteCount: 1 << 20, writtenByteCount: 1 << 20, divisor: 200))

  @Test(arguments: Options.Part.engine)
  func `every part runs, is compared with what it has measured, and leaves no file`(
    part: Options.Part
  ) throws {
    let (folder, memoryFolder) = (try Folder(), try Folder())
    // `Benchmarks/run` says where the Python is that has the other stores.
    let hasPython = ProcessInfo.processInfo.environment["BENCHMARK_PYTHON"] != nil
    try {
      let benchmarks = EngineBenchmarks(
        EngineBenchmarksTests.scale, directory: folder.path, memoryDirectory: memoryFolder.path,
        program: benchmarkTool)
      let section = try benchmarks.section(part)
      let measured = try section.measured(roundCount: 1)
      let rows = measured.groups.flatMap(\.rows)
      #expect(Set(rows.map(\.identifier)).count == rows.count)
      for row in rows {
        let isLeftOut = !hasPython && row.identifier.hasPrefix("interface-python-")
        #expect((row.unsupported != nil) == isLeftOut, "\(row.identifier)")
        #expect(row.samples.allSatisfy { $0 >= 0 && $0.isFinite }, "\(row.identifier)")
      }
      for comparison in measured.comparisons {
        let isLeftOut = !hasPython && comparison.name.hasSuffix("from Python")
        #expect((comparison.ratio == nil) == isLeftOut, "\(comparison.name), \(comparison.limitName)")
      }
      #expect(!measured.comparisons.isEmpty)
    }()
    #expect(try folder.contents == [])
    #expect(try memoryFolder.contents == [])
  }

  @Test func `without a file system in memory growth is measured on the disk`() throws {
    let folder = try Folder()
    let benchmarks = EngineBenchmarks(
      EngineBenchmarksTests.scale, directory: folder.path, memoryDirectory: nil, program: benchmarkTool)
    let groups = try benchmarks.section(.growth).measured(roundCount: 1).groups
    #expect(groups.map { $0.rows.allSatisfy { $0.unsupported != nil } } == [true, false])
  }

  @Test(
    arguments: [
      (UInt64(3), UInt64(3), nil), (2, 3, "it takes 3 MiB of free disk"), (3, 2, "it takes 3 MiB of memory"),
    ] as [(UInt64, UInt64, String?)])
  func `what there is no room for is left out`(disk: UInt64, memory: UInt64, reason: String?) {
    let room = Room(freeByteCount: disk << 20, memoryByteCount: memory << 20)
    let outcome = Result { try room.check(storeByteCount: 1 << 20) }
    switch outcome {
    case .success: #expect(reason == nil)
    case .failure(let error): #expect((error as? Unsupported)?.reason == reason)
    }
  }

  @Test(arguments: [0, 1, 8, 100, 1000])
  func `a bare record is as long as one of the engine`(valueByteCount: Int) throws {
    let folder = try Folder()
    let store = try SedimentStore(
      path: "\(folder.path)/store", options: SedimentOptions(compression: .off))
    let keys = BenchmarkKeys.stored(count: 10, seed: 1)
    let before = store.statistics.liveByteCount
    for key in keys { try store.set([UInt8](repeating: 7, count: valueByteCount), forKey: key) }
    let taken = store.statistics.liveByteCount - before
    #expect(taken == UInt64(keys.count * recordByteCountOfValue(valueByteCount)))
    try store.close()
  }

  @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")])
  func `thousands are told apart by commas`(count: Int, text: String) {
    #expect(countText(count) == text)
  }
}
