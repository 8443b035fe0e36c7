/// What one case does to a store, which a seed or a text says.
struct Plan: Equatable, Sendable, CustomStringConvertible {
  var settings = Settings()
  var threadCount = 1
  var steps: [Step] = []
  /// How the store ends: see `Case.end`.
  var end = End.kept

  enum End: String, Sendable, CaseIterable {
    /// As it is, or emptied in one of these ways.
    case kept, reopened, everything, each, dropped, removed
    /// Closed at once.
    case closed
  }

  /// The settings and the steps, in a form that can be read again.
  var description: String {
    (["threads=\(threadCount) end=\(end.rawValue) \(settings.words.joined(separator: " "))"]
      + steps.map(\.description))
      .joined(separator: "; ")
  }

  init() {}

  /// Nil for a text that says something else.
  init?(_ text: String) {
    let parts = text.split(separator: ";")
    guard let first = parts.first else { return nil }
    for word in first.split(separator: " ") {
      let pair = word.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2 else { return nil }
      if pair[0] == "threads" {
        guard let count = Int(pair[1]), (1...16).contains(count) else { return nil }
        threadCount = count
      } else if pair[0] == "end" {
        guard let known = End(rawValue: pair[1]) else { return nil }
        end = known
      } else if !settings.take(pair[0], pair[1]) {
        return nil
      }
    }
    var latest = settings
    for part in parts.dropFirst() {
      guard let step = Step(part, latest) else { return nil }
      latest = step.settings ?? latest
      steps.append(step)
    }
  }
}
