/// The lines that were entered before, and which of them is shown.
struct LineHistory {
  private var lines: [String] = []
  private var place = 0
  /// What was typed before the history was looked at.
  private var draft = ""

  private static let countMax = 1_000

  /// Takes a line that was entered; one that is empty or as the last is not kept twice.
  mutating func add(_ line: String) {
    if !line.isEmpty, line != lines.last { lines.append(line) }
    if lines.count > Self.countMax { lines.removeFirst() }
    place = lines.count
    draft = ""
  }

  /// The line before the one shown; nil if there is none.
  mutating func older(than shown: String) -> String? {
    guard place > 0 else { return nil }
    if place == lines.count { draft = shown }
    place -= 1
    return lines[place]
  }

  /// The line after the one shown, at the end what was typed; nil if that is shown.
  mutating func newer() -> String? {
    guard place < lines.count else { return nil }
    place += 1
    return place == lines.count ? draft : lines[place]
  }
}
