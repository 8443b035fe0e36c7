/// The line that is being edited, and where in it the next letter goes.
struct LineBuffer: Equatable {
  private(set) var letters: [Character] = []
  private(set) var cursor = 0

  init(_ text: String = "") {
    letters = Array(text)
    cursor = letters.count
  }

  var text: String { String(letters) }

  var textBeforeCursor: String { String(letters[..<cursor]) }

  /// Does what a key asks of the line; other keys are the editor's.
  mutating func apply(_ key: EditorKey) {
    switch key {
    case .text(let text): insert(text)
    case .backspace: removeBefore(from: max(cursor - 1, 0))
    case .delete: letters.removeSubrange(cursor..<min(cursor + 1, letters.count))
    case .left: cursor = max(cursor - 1, 0)
    case .right: cursor = min(cursor + 1, letters.count)
    case .wordLeft: cursor = wordStart
    case .wordRight: cursor = wordEnd
    case .home: cursor = 0
    case .end: cursor = letters.count
    case .removeToStart: removeBefore(from: 0)
    case .removeToEnd: letters.removeSubrange(cursor...)
    case .removeWord: removeBefore(from: wordStart)
    default: break
    }
  }

  /// Puts other text into the place of the last letters before the cursor.
  mutating func replace(last count: Int, by text: String) {
    removeBefore(from: max(cursor - count, 0))
    insert(text)
  }

  private mutating func insert(_ text: String) {
    // A mark that combines with the letter before it becomes a part of that.
    let before = Array(String(letters[..<cursor]) + text)
    letters = before + letters[cursor...]
    cursor = before.count
  }

  private mutating func removeBefore(from start: Int) {
    letters.removeSubrange(start..<cursor)
    cursor = start
  }

  private var wordStart: Int {
    var place = cursor
    while place > 0, letters[place - 1] == " " { place -= 1 }
    while place > 0, letters[place - 1] != " " { place -= 1 }
    return place
  }

  private var wordEnd: Int {
    var place = cursor
    while place < letters.count, letters[place] == " " { place += 1 }
    while place < letters.count, letters[place] != " " { place += 1 }
    return place
  }

  /// What of the line fits into some columns so that the cursor is seen, and the cursor's column there.
  func window(width: Int) -> (text: String, column: Int) {
    let width = max(width, 2)
    var start = cursor
    var used = 1
    while start > 0, used + DisplayWidth.of(letters[start - 1]) <= width {
      start -= 1
      used += DisplayWidth.of(letters[start])
    }
    let column = letters[start..<cursor].reduce(0) { $0 + DisplayWidth.of($1) }
    var end = cursor
    var total = column
    while end < letters.count, total + DisplayWidth.of(letters[end]) < width {
      total += DisplayWidth.of(letters[end])
      end += 1
    }
    return (String(letters[start..<end]), column)
  }
}

/// How many columns of a terminal letters take.
enum DisplayWidth {
  static func of(_ letter: Character) -> Int {
    guard let first = letter.unicodeScalars.first?.value else { return 0 }
    switch first {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
      0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f680...0x1f6ff, 0x1f900...0x1faff,
      0x20000...0x3fffd:
      return 2
    default: return 1
    }
  }
}
