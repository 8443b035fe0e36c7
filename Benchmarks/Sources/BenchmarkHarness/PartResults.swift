internal import Foundation

/// What was measured of each part of a comparison, kept in the folder of results as soon as the part has ended: a run that
/// takes hours is resumed with the part in which it was stopped.
public struct PartResults {
  private let folder: String
  private let program: String

  /// The parts in a folder of results, as this program has measured them.
  public init(output: String, program: String) {
    folder = "\(output)/parts"
    self.program = program
  }

  /// What an earlier run has measured of a part, if it was a run of the same kind, program and machine.
  public func report(of part: Options.Part, like report: Report) -> Report? {
    guard isOfThisProgram(path(part)), let data = FileManager.default.contents(atPath: path(part)),
      let earlier = try? Report(json: data), isAlike(earlier, report)
    else { return nil }
    return earlier
  }

  /// Keeps what was measured of a part.
  public func keep(_ report: Report, of part: Options.Part) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try report.json().write(to: URL(fileURLWithPath: path(part)), options: .atomic)
  }

  private func path(_ part: Options.Part) -> String { "\(folder)/\(part.rawValue).json" }

  /// Whether a file is newer than the program: what another build has measured is of other code.
  private func isOfThisProgram(_ file: String) -> Bool {
    func date(_ path: String) -> Date? {
      try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date
    }
    guard let written = date(file), let built = date(program) else { return false }
    return written > built
  }

  /// Whether figures of both can stand in one report.
  private func isAlike(_ one: Report, _ other: Report) -> Bool {
    one.version == other.version && one.machine == other.machine && one.isQuick == other.isQuick
      && one.isFull == other.isFull && one.roundCount == other.roundCount
      && one.contenders == other.contenders
  }
}
