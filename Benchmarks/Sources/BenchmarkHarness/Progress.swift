internal import Foundation

/// Tells on standard error how far a run is: one line that is written over on a terminal, else a line a round.
public struct Progress {
  private let isTerminal: Bool
  private let roundCount: Int
  private let names: [String]

  /// Creates the progress of so many rounds over the benchmarks with these names.
  public init(roundCount: Int, names: [String]) {
    isTerminal = isatty(FileHandle.standardError.fileDescriptor) == 1
    self.roundCount = roundCount
    self.names = names
  }

  /// Says what is prepared before the first round.
  public func preparing(_ what: String) {
    show(isTerminal ? "\r\u{1B}[K\(what)" : "\(what)\n")
  }

  /// Says what is measured now.
  public func measuring(round: Int, index: Int) {
    if isTerminal {
      let percentage = 100 * (round * names.count + index) / max(1, roundCount * names.count)
      show("\r\u{1B}[K\(percentage) %, round \(round + 1) of \(roundCount): \(names[index])")
    } else if index == 0 {
      show("round \(round + 1) of \(roundCount)\n")
    }
  }

  /// Takes the line away.
  public func finished() {
    if isTerminal { show("\r\u{1B}[K") }
  }

  private func show(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
