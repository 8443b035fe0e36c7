import Importing
import Sediment
import SedimentTesting
import Testing

/// What the crash checks have to know of an import: an operation brings in one batch.
private struct ImportScenario: CrashScenario {
  struct Storage {
    let store: SedimentStore
    let importer: Importer
  }

  /// How far it has come, and what is there.
  struct Contents: Equatable {
    var lineCount = 0
    var lines: [String] = []
  }

  private static let batchLineCount = 3
  private static let lines = (100..<150).map { "\($0),line" }

  var empty: Contents { Contents() }

  func open(on disk: SimulatedDisk) throws -> Storage {
    let store = try SedimentStore(
      path: "/import", options: SedimentOptions(durability: .unsynced), disk: disk,
      background: ManualBackground())
    let importer = try Importer(store, into: "lines", name: "lines", batchLineCount: Self.batchLineCount)
    return Storage(store: store, importer: importer)
  }

  func close(_ storage: Storage) throws -> CrashPromise {
    try storage.store.close()
    return .forEver
  }

  func contents(of storage: Storage) throws -> Contents {
    let lines = try storage.store.collection("lines")
    return Contents(
      lineCount: try storage.importer.progress().lineCount,
      lines: try lines.keys().compactMap { try lines.retrieve(forKey: $0, as: String.self) })
  }

  func operation(using generator: inout SeededGenerator) {}

  func perform(_ operation: Void, number: Int, on storage: Storage) throws -> CrashPromise {
    let source = BytesSource(bytes: Array(Self.lines.joined(separator: "\n").utf8))
    _ = try storage.importer.step(source, key: LineKeys.firstColumn)
    return .untilPowerFails
  }

  func apply(_ operation: Void, number: Int, to contents: inout Contents, on disk: SimulatedDisk) {
    contents.lines += Self.lines[contents.lineCount...].prefix(Self.batchLineCount)
    contents.lineCount = contents.lines.count
  }
}

@Suite struct ImportCrashTests {
  @Test
  func `Whenever it crashes, there are the lines that the import says it has brought in, and no others`() {
    var check = CrashCheck(ImportScenario())
    check.operationCount = 10
    let report = check.run(seeds: 0..<2)
    #expect(report.findings == [])
    #expect(report.imageCount > 100)
  }
}
