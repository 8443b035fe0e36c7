/// Bytes as people read them: text where that can be shown, else hexadecimal digits.
enum ByteText {
  /// The text whose UTF-8 the bytes are, if a terminal can show it; with `allowingLines`, of several lines.
  static func printable(_ bytes: [UInt8], allowingLines: Bool = false) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let isFine = text.unicodeScalars.allSatisfy { scalar in
      switch scalar.value {
      case 9, 10: allowingLines
      case 0..<32, 127..<160, 0x2028, 0x2029, 0x202a...0x202e, 0x2066...0x2069, 0xfeff: false
      default: true
      }
    }
    return isFine ? text : nil
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
