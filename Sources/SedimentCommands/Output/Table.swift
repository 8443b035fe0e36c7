/// Rows of text in columns; lines end without spaces.
struct Table {
  /// Which columns have their text at their right side.
  private let isRight: [Bool]
  private var rows: [[String]] = []

  init(rightAligned columns: [Bool]) { isRight = columns }

  mutating func add(_ row: [String]) { rows.append(row) }

  /// The rows, each ending with a line feed.
  var text: String {
    let widths = isRight.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var text = ""
    for row in rows {
      let cells = zip(row, zip(widths, isRight)).map { cell, column in
        column.1 ? cell.padded(to: column.0) : cell.filled(to: column.0)
      }
      var line = cells.joined(separator: "  ")[...]
      while line.last == " " { line.removeLast() }
      text += line + "\n"
    }
    return text
  }
}

extension String {
  /// The text with spaces, or something else, before it up to a length.
  func padded(to length: Int, with letter: Character = " ") -> String {
    String(repeating: letter, count: max(length - count, 0)) + self
  }

  /// The text with spaces behind it up to a length.
  func filled(to length: Int) -> String { self + String(repeating: " ", count: max(length - count, 0)) }
}
