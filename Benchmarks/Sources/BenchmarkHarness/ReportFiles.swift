internal import Foundation

extension Report {
  /// What stands above the table: the machine, then how it was measured.
  public var heading: String {
    let rounds = roundCount == 1 ? "1 round" : "\(roundCount) rounds, medians and extremes"
    let warning = isQuick ? "\nA quick run: it proves that everything works, its figures mean little." : ""
    return "\(machine.summary)\n\(date.formatted(.iso8601)), \(machine.swiftVersion), \(rounds)\(warning)"
  }

  /// Writes `NAME.json`, and what the charts are drawn from, into a folder, which is created if need be.
  public func write(to folder: String, name: String) throws {
    let folder = URL(fileURLWithPath: folder, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try json().write(to: folder.appending(path: "\(name).json"), options: .atomic)
    for (kind, quantity) in [("latency", Quantity.time), ("bandwidth", .bandwidth)] {
      let data = ChartData(self, quantity: quantity)
      guard !data.isEmpty else { continue }
      try Data(data.text.utf8).write(to: folder.appending(path: "\(name)-\(kind).tsv"), options: .atomic)
    }
  }
}
