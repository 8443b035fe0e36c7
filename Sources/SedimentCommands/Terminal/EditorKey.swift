/// A key as an editor of lines knows it.
enum EditorKey: Equatable {
  case text(String)
  case enter
  case tab
  case backspace
  case delete
  case left
  case right
  case wordLeft
  case wordRight
  case up
  case down
  case home
  case end
  case clearScreen
  case removeToStart
  case removeToEnd
  case removeWord
  case interrupt
  /// Ctrl-D: the end, or the letter behind the cursor.
  case endOfInput
  case unknown
}

/// Makes the bytes that a terminal sends to keys.
struct KeyReader {
  /// The next byte; nil at the end, or if `isWaiting` is false and there is none now.
  let nextByte: (_ isWaiting: Bool) throws -> UInt8?

  /// The next key; nil at the end of the input.
  func next() throws -> EditorKey? {
    guard let byte = try nextByte(true) else { return nil }
    switch byte {
    case 1: return .home
    case 2: return .left
    case 3: return .interrupt
    case 4: return .endOfInput
    case 5: return .end
    case 6: return .right
    case 8, 127: return .backspace
    case 9: return .tab
    case 10, 13: return .enter
    case 11: return .removeToEnd
    case 12: return .clearScreen
    case 14: return .down
    case 16: return .up
    case 21: return .removeToStart
    case 23: return .removeWord
    case 27: return try escape()
    case 0..<32: return .unknown
    default: return try text(byte)
    }
  }

  /// The rest of a letter of UTF-8.
  private func text(_ first: UInt8) throws -> EditorKey {
    var bytes = [first]
    let count = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
    while bytes.count < count {
      guard let byte = try nextByte(true) else { return .unknown }
      bytes.append(byte)
    }
    return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .unknown
  }

  private func escape() throws -> EditorKey {
    switch try nextByte(false) {
    case UInt8(ascii: "["), UInt8(ascii: "O"): return try sequence()
    case UInt8(ascii: "b"): return .wordLeft
    case UInt8(ascii: "f"): return .wordRight
    case 127: return .removeWord
    default: return .unknown
    }
  }

  /// Numbers, then a letter or a tilde that ends the sequence.
  private func sequence() throws -> EditorKey {
    var numbers = ""
    while let byte = try nextByte(false) {
      if (0x40...0x7e).contains(byte) { return Self.key(numbers, byte) }
      numbers += String(Unicode.Scalar(byte))
      if numbers.count > 16 { return .unknown }
    }
    return .unknown
  }

  private static func key(_ numbers: String, _ letter: UInt8) -> EditorKey {
    let isWord = numbers.hasSuffix(";5") || numbers.hasSuffix(";3")
    switch (letter, numbers) {
    case (UInt8(ascii: "A"), _): return .up
    case (UInt8(ascii: "B"), _): return .down
    case (UInt8(ascii: "C"), _): return isWord ? .wordRight : .right
    case (UInt8(ascii: "D"), _): return isWord ? .wordLeft : .left
    case (UInt8(ascii: "H"), _), (UInt8(ascii: "~"), "1"), (UInt8(ascii: "~"), "7"): return .home
    case (UInt8(ascii: "F"), _), (UInt8(ascii: "~"), "4"), (UInt8(ascii: "~"), "8"): return .end
    case (UInt8(ascii: "~"), "3"): return .delete
    default: return .unknown
    }
  }
}
