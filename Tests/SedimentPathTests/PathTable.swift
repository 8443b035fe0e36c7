import Foundation

/// The table of `Tests/Paths/table.txt`: what comes of each path for each way in.
struct PathTable {
  /// The first column: a path, or a name for one.
  let paths: [String]
  private let columns: [String: [String]]

  init() throws {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let text = try String(contentsOf: tests.appendingPathComponent("Paths/table.txt"), encoding: .utf8)
    var rows = text.split(separator: "\n").filter { !$0.hasPrefix("#") }
      .map { $0.split(separator: " ").map(String.init) }
    let ways = rows.removeFirst()
    precondition(rows.allSatisfy { $0.count == ways.count }, "a row of the table is not as long as the first")
    paths = rows.map { $0[0] }
    columns = Dictionary(uniqueKeysWithValues: ways.indices.map { way in (ways[way], rows.map { $0[way] }) })
  }

  /// The outcomes of a way, in the order of the paths.
  func outcomes(of way: String) -> [String] { columns[way] ?? [] }
}
