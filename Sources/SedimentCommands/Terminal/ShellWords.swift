/// Takes lines apart into words, as shells do: spaces divide, quotation marks and backslashes keep together.
enum ShellWords {
  /// The words of a line; throws if a quotation mark has no end.
  static func words(of line: String) throws(ToolFailure) -> [String] {
    let (words, isOpen) = parse(line)
    if isOpen { throw .usage("a quotation mark has no end") }
    return words
  }

  /// The words before the last one, which may be unfinished, and how many letters the last one has in the line.
  static func unfinished(_ line: String) -> (before: [String], last: String, letterCount: Int) {
    var start = line.startIndex
    var place = line.startIndex
    var quote: Character?
    while place < line.endIndex {
      let letter = line[place]
      place = line.index(after: place)
      if letter == "\\", quote != "'" {
        if place < line.endIndex { place = line.index(after: place) }
      } else if let open = quote {
        if letter == open { quote = nil }
      } else if letter == "'" || letter == "\"" {
        quote = letter
      } else if letter == " " {
        start = place
      }
    }
    let last = parse(String(line[start...])).words.first ?? ""
    return (parse(String(line[..<start])).words, last, line[start...].count)
  }

  /// A word as it must be typed.
  static func quoted(_ word: String) -> String {
    let special: Set<Character> = [" ", "\\", "'", "\""]
    return word.isEmpty ? "''" : String(word.flatMap { special.contains($0) ? ["\\", $0] : [$0] })
  }

  private static func parse(_ line: String) -> (words: [String], isOpen: Bool) {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var isEscaped = false
    for letter in line {
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
      } else {
        word = (word ?? "") + String(letter)
      }
    }
    if let word { words.append(word) }
    return (words, quote != nil || isEscaped)
  }
}
