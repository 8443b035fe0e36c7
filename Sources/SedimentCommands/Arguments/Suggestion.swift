/// Finds the word that was probably meant.
enum Suggestion {
  /// What a message says behind a word that is not known: the one that was probably meant, or nothing.
  static func hint(for word: String, among words: [String]) -> String {
    nearest(to: word, among: words).map { "; did you mean '\($0)'?" } ?? ""
  }

  /// The word with the fewest changes from the one given, if those are few.
  static func nearest(to word: String, among words: [String]) -> String? {
    let limit = max(word.count / 3, 1)
    let distances = words.map { ($0, distance(Array(word), Array($0))) }
    guard let best = distances.min(by: { $0.1 < $1.1 }), best.1 <= limit else {
      return words.first { word.count >= 2 && $0.hasPrefix(word) }
    }
    return best.0
  }

  /// How many letters have to be put in, left out, replaced or swapped with the next to make one word of the other.
  static func distance(_ one: [Character], _ other: [Character]) -> Int {
    var before: [Int] = []
    var last = Array(0...other.count)
    for (row, letter) in one.enumerated() {
      var line = [row + 1]
      for (column, otherLetter) in other.enumerated() {
        let replaced = last[column] + (letter == otherLetter ? 0 : 1)
        var least = min(replaced, last[column + 1] + 1, line[column] + 1)
        if row > 0, column > 0, letter == other[column - 1], one[row - 1] == otherLetter {
          least = min(least, before[column - 1] + 1)
        }
        line.append(least)
      }
      before = last
      last = line
    }
    return last[other.count]
  }
}
