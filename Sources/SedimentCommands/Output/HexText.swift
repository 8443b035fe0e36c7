/// Bytes as hexadecimal digits.
enum HexText {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Two digits for each byte.
  static func text(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// The bytes of digits, spaces between them passed over; nil if it is anything else.
  static func bytes(_ text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    var high: UInt8?
    for unit in text.utf8 where unit != UInt8(ascii: " ") {
      guard let digit = value(unit) else { return nil }
      if let first = high {
        bytes.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    return high == nil ? bytes : nil
  }

  static func value(_ unit: UInt8) -> UInt8? {
    switch unit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): unit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): unit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): unit - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Lines of 16 bytes: where they are, the bytes, and what of them is ASCII.
  ///
  /// The first byte is the one at `offset`, a multiple of 16, of a longer value.
  static func dump(_ bytes: [UInt8], from offset: Int = 0) -> String {
    var text = ""
    for start in stride(from: 0, to: bytes.count, by: 16) {
      let line = bytes[start..<min(start + 16, bytes.count)]
      text += String(offset + start, radix: 16).padded(to: 8, with: "0") + " "
      for place in 0..<16 {
        if place == 8 { text += " " }
        text += place < line.count ? " " + Self.text([line[start + place]]) : "   "
      }
      let letters = line.map { (32..<127).contains($0) ? $0 : UInt8(ascii: ".") }
      text += "  |" + String(decoding: letters, as: UTF8.self) + "|\n"
    }
    return text
  }
}
