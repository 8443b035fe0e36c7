/// Reads lines from a terminal, with editing, history and completion.
final class LineEditor {
  private let prompt: String
  private let input: ByteSource
  private let complete: (_ before: String) throws -> LineCompletion
  private var history = LineHistory()

  /// What may stand in the place of the last letters before the cursor.
  struct LineCompletion {
    /// How many letters before the cursor are completed.
    var replacedCount = 0
    /// What they may become, in order.
    var candidates: [String] = []
  }

  init(prompt: String, input: ByteSource, complete: @escaping (_ before: String) throws -> LineCompletion) {
    (self.prompt, self.input, self.complete) = (prompt, input, complete)
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
        buffer.removeAfter()
      case .interrupt:
        buffer.moveToEnd()
        try draw(buffer)
        try show("^C\r\n")
        buffer = LineBuffer()
      case .tab: try complete(&buffer)
      case .up: if let line = history.older(than: buffer.text) { buffer = LineBuffer(line) }
      case .down: if let line = history.newer() { buffer = LineBuffer(line) }
      case .clearScreen: try show("\u{1b}[H\u{1b}[2J")
      default: Self.apply(key, to: &buffer)
      }
      try draw(buffer)
    }
    return nil
  }

  private static func apply(_ key: EditorKey, to buffer: inout LineBuffer) {
    switch key {
    case .text(let text): buffer.insert(text)
    case .backspace: buffer.removeBefore()
    case .delete: buffer.removeAfter()
    case .left: buffer.move(by: -1)
    case .right: buffer.move(by: 1)
    case .wordLeft: buffer.moveWordLeft()
    case .wordRight: buffer.moveWordRight()
    case .home: buffer.moveToStart()
    case .end: buffer.moveToEnd()
    case .removeToStart: buffer.removeToStart()
    case .removeToEnd: buffer.removeToEnd()
    case .removeWord: buffer.removeWordBefore()
    default: break
    }
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
