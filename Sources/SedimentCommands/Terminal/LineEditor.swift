/// Reads lines from a terminal, with editing, history and completion.
final class LineEditor {
  private let prompt: String
  private let input: ByteSource
  private let complete: (_ before: String) throws -> LineCompletion
  private var history: LineHistory

  /// What may stand in the place of the last letters before the cursor.
  struct LineCompletion {
    /// How many letters before the cursor are completed.
    var replacedCount = 0
    /// What they may become, in order.
    var candidates: [String] = []
  }

  init(
    prompt: String, input: ByteSource, history: LineHistory,
    complete: @escaping (_ before: String) throws -> LineCompletion
  ) {
    (self.prompt, self.input, self.history, self.complete) = (prompt, input, history, complete)
  }

  /// The next line; nil at the end of the input, and if the terminal is none.
  func line() throws -> String? {
    guard let raw = RawMode(.input) else { return nil }
    return try withExtendedLifetime(raw) {
      let line = try edit()
      try show("\r\n")
      if let line { history.add(line) }
      return line
    }
  }

  private func edit() throws -> String? {
    var buffer = LineBuffer()
    let keys = KeyReader { [input] isWaiting in
      if !isWaiting, !input.hasBuffered, try !input.descriptor.isReadable(within: 50) { return nil }
      return try input.next()
    }
    try draw(buffer)
    while let key = try keys.next() {
      switch key {
      case .enter: return buffer.text
      case .endOfInput:
        if buffer.letters.isEmpty { return nil }
        buffer.apply(.delete)
      case .interrupt:
        buffer.apply(.end)
        try draw(buffer)
        try show("^C\r\n")
        buffer = LineBuffer()
      case .tab: try complete(&buffer)
      case .up: if let line = history.older(than: buffer.text) { buffer = LineBuffer(line) }
      case .down: if let line = history.newer() { buffer = LineBuffer(line) }
      case .clearScreen: try show("\u{1b}[H\u{1b}[2J")
      default: buffer.apply(key)
      }
      try draw(buffer)
    }
    return nil
  }

  private func draw(_ buffer: LineBuffer) throws {
    let width = Descriptor.output.columnCount ?? 80
    let (text, column) = buffer.window(width: width - prompt.count)
    let place = prompt.count + column
    try show("\r\(prompt)\(text)\u{1b}[K\r" + (place > 0 ? "\u{1b}[\(place)C" : ""))
  }

  private func show(_ text: String) throws { try Descriptor.output.write(Array(text.utf8)) }

  // MARK: Completion

  private static let shownCountMax = 60

  private func complete(_ buffer: inout LineBuffer) throws {
    let completion = try complete(buffer.textBeforeCursor)
    guard let first = completion.candidates.first else { return try show("\u{7}") }
    if completion.candidates.count == 1 {
      return buffer.replace(last: completion.replacedCount, by: first + " ")
    }
    let common = completion.candidates.dropFirst().reduce(first) { $0.commonPrefix(with: $1) }
    if common.count > completion.replacedCount {
      return buffer.replace(last: completion.replacedCount, by: common)
    }
    let more = completion.candidates.count > Self.shownCountMax ? "\r\n..." : ""
    let shown = completion.candidates.prefix(Self.shownCountMax).joined(separator: "  ")
    try show("\r\n\(shown)\(more)\r\n")
  }
}

extension String {
  /// The letters that both begin with.
  fileprivate func commonPrefix(with other: String) -> String {
    String(zip(self, other).prefix { $0 == $1 }.map(\.0))
  }
}

/// The lines that were entered before, and which of them is shown.
struct LineHistory {
  private var lines: [String]
  private var place: Int
  /// What was typed before the history was looked at.
  private var draft = ""

  /// The number of lines that are kept.
  static let countMax = 1_000

  init(_ lines: [String]) { (self.lines, place) = (lines, lines.count) }

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
