import Foundation

/// A file to which a run appends a line for each layer, from which the tables of Tests/EVIDENCE.md are made.
struct SuiteRecord {
  let file: URL

  /// Appends what a layer tried: its name, its unit, how much and what it found, the first case, and how many cases.
  ///
  /// A layer that was skipped shows nothing, and has no line.
  func append(_ layer: any Layer, _ result: LayerResult, firstCase: UInt64, isLong: Bool) throws {
    if result.skipped != nil { return }
    let words = [
      layer.name, layer.unit, "\(result.count)", "\(result.findings.count)", "\(firstCase)",
      "\(result.caseCount)", isLong ? "long" : "short",
    ]
    if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    try handle.write(contentsOf: Data((words.joined(separator: "\t") + "\n").utf8))
    try handle.close()
  }
}
