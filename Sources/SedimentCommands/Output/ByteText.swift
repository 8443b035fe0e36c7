/// Bytes as people read them: text where that can be shown, else hexadecimal digits.
enum ByteText {
  /// The text whose UTF-8 the bytes are, if a terminal can show it; with `allowingLines`, of several lines.
  static func printable(_ bytes: [UInt8], allowingLines: Bool = false) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let isFine = text.unicodeScalars.allSatisfy { scalar in
      isShown(scalar) || allowingLines && (scalar == "\n" || scalar == "\t")
    }
    return isFine ? text : nil
  }

  /// Whether a terminal shows a character, and does nothing else with it: it controls neither the terminal nor the
  /// direction of the text, and is not invisible.
  static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.value < 0x7f { return scalar.value >= 0x20 }
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: return false
    // Of these only the two that join letters, and the signs that stand before Arabic numbers, belong to text.
    case .format:
      return [0x200c, 0x200d, 0x6dd].contains(scalar.value) || (0x600...0x605).contains(scalar.value)
    default: return true
    }
  }

  /// A text of some lines in which everything that a terminal does not show is written as `\u{9b}`.
  static func escaped(_ text: String) -> String {
    func isKept(_ scalar: Unicode.Scalar) -> Bool { isShown(scalar) || scalar == "\n" || scalar == "\t" }
    guard !text.unicodeScalars.allSatisfy(isKept) else { return text }
    return text.unicodeScalars.reduce(into: "") { result, scalar in
      if isKept(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      }
    }
  }

  /// A key in one line.
  static func key(_ bytes: [UInt8], isHex: Bool = false) -> String {
    if isHex { return HexText.text(bytes) }
    if bytes.isEmpty { return "\"\"" }
    return printable(bytes) ?? "0x" + HexText.text(bytes)
  }

  /// What a message shows of bytes that came from a file, which may be any and many.
  static func excerpt(_ bytes: [UInt8]) -> String {
    guard let text = printable(bytes) else {
      return key(Array(bytes.prefix(16))) + (bytes.count > 16 ? "..." : "")
    }
    return text.count > 64 ? text.prefix(64) + "..." : text
  }

  /// A value as a terminal shows it, ending with a line feed.
  static func value(_ bytes: [UInt8]) -> String {
    guard let text = printable(bytes, allowingLines: true) else { return HexText.dump(bytes) }
    return text.hasSuffix("\n") ? text : text + "\n"
  }
}
