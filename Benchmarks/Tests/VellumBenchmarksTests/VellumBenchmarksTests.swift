import BenchmarkHarness
import Foundation
import Testing
import VellumBenchmarks

@Suite struct VellumBenchmarksTests {
  @Test func `Every row runs, is compared with what it has measured, and leaves no file`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "archives-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try {
      let section = try VellumBenchmarks(archiveCount: 300, directory: folder.path).section
      let measured = try section.measured(roundCount: 1)
      let rows = measured.groups.flatMap(\.rows)
      #expect(rows.count == 10 && Set(rows.map(\.identifier)).count == rows.count)
      for row in rows {
        #expect(row.unsupported == nil, "\(row.identifier)")
        #expect(row.samples.allSatisfy { $0 > 0 && $0.isFinite }, "\(row.identifier)")
      }
      for comparison in measured.comparisons {
        #expect(comparison.ratio != nil, "\(comparison.name), \(comparison.limitName)")
      }
    }()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
  }
}
