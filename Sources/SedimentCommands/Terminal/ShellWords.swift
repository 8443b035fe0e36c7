/// Takes lines apart into words, as shells do: spaces divide, quotation marks and backslashes keep together.
enum ShellWords {
  /// The words of a line; throws if a quotation mark has no end.
  static func words(of line: String) throws(ToolFailure) -> [String] {
    let parsed = parse(line)
    if parsed.isOpen { throw .usage("a quotation mark has no end") }
    return parsed.before + [parsed.last].compactMap(\.self)
  }

  /// The words before the last one, which may be unfinished, and how many letters the last one has in the line.
  static func unfinished(_ line: String) -> (before: [String], last: String, letterCount: Int) {
    let parsed = parse(line)
    return (parsed.before, parsed.last ?? "", line.count - parsed.start)
  }

  /// A word as it must be typed.
  static func quoted(_ word: String) -> String {
    let special: Set<Character> = [" ", "\\", "'", "\""]
    return word.isEmpty ? "''" : String(word.flatMap { special.contains($0) ? ["\\", $0] : [$0] })
  }

  /// The words that a space follows, the one that none does, if there is one, and where in the line that begins.
  private static func parse(
    _ line: String
  ) -> (before: [String], last: String?, start: Int, isOpen: Bool) {
    var words: [String] = []
    var word: String?
    var start = 0
    var quote: Character?
    var isEscaped = false
    for (place, letter) in line.enumerated() {
      if isEscaped {
        word = (word ?? "") + String(letter)
        isEscaped = false
      } else if letter == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if letter == open { quote = nil } else { word = (word ?? "") + String(letter) }
      } else if letter == "'" || letter == "\"" {
        quote = letter
        word = word ?? ""
      } else if letter == " " || letter == "\t" {
        if let finished = word { words.append(finished) }
        word = nil
        start = place + 1
      } else {
        word = (word ?? "") + String(letter)
      }
    }
    return (words, word, start, quote != nil || isEscaped)
  }
}
