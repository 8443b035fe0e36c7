/// A value of JSON that a command prints.
indirect enum JSONValue: Sendable {
  /// A string, by its UTF-8.
  case utf8([UInt8])
  case integer(UInt64)
  case number(Double)
  case boolean(Bool)
  case null
  case array([JSONValue])
  /// Members in their order.
  case object([(String, JSONValue)])

  static func text(_ text: String) -> JSONValue { .utf8(Array(text.utf8)) }

  static func count(_ number: Int) -> JSONValue { .integer(UInt64(clamping: number)) }

  /// A member for bytes: text under the name where they are UTF-8, or are said to be, else Base64 under the name with
  /// `Base64` behind it.
  static func bytes(_ name: String, _ bytes: [UInt8], isText: Bool? = nil) -> (String, JSONValue) {
    isText ?? (String(validating: bytes, as: UTF8.self) != nil)
      ? (name, .utf8(bytes)) : (name + "Base64", .utf8(Base64.encode(bytes)))
  }

  /// One line of JSON, ending with a line feed.
  var line: [UInt8] {
    var bytes: [UInt8] = []
    append(to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
    return bytes
  }

  private func append(to bytes: inout [UInt8]) {
    switch self {
    case .utf8(let text): Self.append(text, to: &bytes)
    case .integer(let number): bytes += Array("\(number)".utf8)
    case .number(let number): bytes += Array((number.isFinite ? "\(number)" : "null").utf8)
    case .boolean(let isTrue): bytes += Array((isTrue ? "true" : "false").utf8)
    case .null: bytes += Array("null".utf8)
    case .array(let values):
      bytes.append(UInt8(ascii: "["))
      for (place, value) in values.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        value.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      for (place, member) in members.enumerated() {
        if place > 0 { bytes.append(UInt8(ascii: ",")) }
        Self.append(member.0.utf8, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.1.append(to: &bytes)
      }
      bytes.append(UInt8(ascii: "}"))
    }
  }

  /// Appends UTF-8 with its quotation marks and escapes; what a terminal would obey or not show is escaped as well.
  private static func append(_ text: some Collection<UInt8>, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    appendEscaped(text, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// UTF-8 with its escapes, as it stands between quotation marks.
  static func escaped(_ text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    appendEscaped(text, to: &bytes)
    return bytes
  }

  private static func appendEscaped(_ text: some Collection<UInt8>, to bytes: inout [UInt8]) {
    if text.contains(where: { $0 >= 0x80 }), let text = String(validating: text, as: UTF8.self) {
      for scalar in text.unicodeScalars {
        if scalar.value < 0x80 || ByteText.isShown(scalar) {
          append(units: scalar.utf8, to: &bytes)
        } else {
          for unit in scalar.utf16 {
            bytes += Array("\\u\(String(unit, radix: 16).padded(to: 4, with: "0"))".utf8)
          }
        }
      }
    } else {
      append(units: text, to: &bytes)
    }
  }

  private static func append(units: some Sequence<UInt8>, to bytes: inout [UInt8]) {
    for unit in units {
      switch unit {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), unit]
      case 10: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "n")]
      case 13: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "r")]
      case 9: bytes += [UInt8(ascii: "\\"), UInt8(ascii: "t")]
      case 0..<32, 127: bytes += Array("\\u00".utf8) + Array(HexText.text([unit]).utf8)
      default: bytes.append(unit)
      }
    }
  }
}
