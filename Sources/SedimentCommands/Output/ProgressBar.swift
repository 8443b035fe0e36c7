internal import Sediment

/// A line on standard error that shows how far something has come, if that is a terminal and it takes long.
final class ProgressBar {
  private let label: String
  private let isOn: Bool
  private let start = ContinuousClock.now
  private var drawnAt: ContinuousClock.Instant?

  /// What takes less is done before anybody wonders.
  private static let patience = Duration.seconds(1)
  private static let interval = Duration.milliseconds(100)
  private static let barWidthMax = 40

  init(_ label: String, isQuiet: Bool) {
    self.label = label
    isOn = !isQuiet && Descriptor.errors.isTerminal
  }

  deinit { clear() }

  /// Shows a progress in bytes; says stop if the tool was asked to end.
  func show(_ progress: SedimentProgress) -> SedimentIteration {
    show(completed: progress.completedByteCount, of: progress.totalByteCount)
    return Signals.isPending ? .stop : .continue
  }

  /// Shows that so many bytes are done; `note` says more of them.
  func show(completed: UInt64, of total: UInt64?, note: String = "") {
    guard isOn else { return }
    let now = ContinuousClock.now
    guard now - start >= Self.patience, drawnAt.map({ now - $0 >= Self.interval }) ?? true else { return }
    drawnAt = now
    // The terminal shows Ctrl-C as two letters behind the line, which must not begin another one.
    draw(Self.line(label, completed, total, note, width: (Descriptor.errors.columnCount ?? 80) - 2))
  }

  /// Takes the line away again.
  func clear() {
    if drawnAt != nil { draw("") }
    drawnAt = nil
  }

  private func draw(_ line: String) {
    try? Descriptor.errors.write(Array("\r\(line)\u{1b}[K".utf8))
  }

  /// The line for a terminal of some width: `verify [#####     ]  50 %  1.0 MiB of 2.0 MiB`.
  static func line(_ label: String, _ completed: UInt64, _ total: UInt64?, _ note: String, width: Int)
    -> String
  {
    let tail = note.isEmpty ? "" : "  \(note)"
    guard let total, total > 0 else {
      return String("\(label)  \(SizeText.bytes(completed))\(tail)".prefix(max(width - 1, 0)))
    }
    let part = min(Double(completed) / Double(total), 1)
    let percent = SizeText.decimal(part * 100, places: 0)
    let sizes = "\(SizeText.bytes(completed)) of \(SizeText.bytes(total))\(tail)"
    let rest = "] \(percent.padded(to: 3)) %  \(sizes)"
    let barWidth = min(width - label.count - rest.count - 3, barWidthMax)
    if barWidth < 5 { return String("\(label) \(percent) %".prefix(max(width - 1, 0))) }
    let filled = Int(Double(barWidth) * part)
    return "\(label) [" + String(repeating: "#", count: filled).filled(to: barWidth) + rest
  }
}
