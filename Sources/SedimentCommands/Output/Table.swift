/// Rows of text in columns.
struct Table {
  /// Which columns have their text at their right side; the last column is never padded.
  private let isRight: [Bool]
  private var rows: [[String]] = []

  init(rightAligned columns: [Bool]) { isRight = columns }

  mutating func add(_ row: [String]) { rows.append(row) }

  /// The rows, each ending with a line feed.
  var text: String {
    let widths = isRight.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    var text = ""
    for row in rows {
      var line = ""
      for (column, cell) in row.enumerated() {
        let gap = String(repeating: " ", count: widths[column] - cell.count)
        if column > 0 { line += "  " }
        line += isRight[column] ? gap + cell : column == row.count - 1 ? cell : cell + gap
      }
      text += line + "\n"
    }
    return text
  }
}
