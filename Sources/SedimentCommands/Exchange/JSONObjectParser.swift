/// Reads a line that is an object of JSON whose members are strings, whole numbers or null.
struct JSONObjectParser {
  enum Value {
    /// The UTF-8 of a string.
    case text([UInt8])
    case integer(UInt64)
    case null
  }

  struct Failure: Error {
    let message: String

    init(_ message: String) { self.message = message }
  }

  private let bytes: ArraySlice<UInt8>
  private var place = 0
  private var end: Int { bytes.endIndex }

  private init(_ bytes: ArraySlice<UInt8>) { self.bytes = bytes }

  /// Calls a closure with each member of a line, in their order.
  static func forEachMember(
    of line: [UInt8], _ body: (_ name: String, _ value: Value) throws(Failure) -> Void
  ) throws(Failure) {
    var parser = JSONObjectParser(line.last == 10 ? line.dropLast() : line[...])
    try parser.take("{")
    if parser.peek() == UInt8(ascii: "}") {
      parser.place += 1
    } else {
      while true {
        let name = try parser.string()
        try parser.take(":")
        try body(String(decoding: name, as: UTF8.self), try parser.value())
        if parser.peek() == UInt8(ascii: "}") { break }
        try parser.take(",")
      }
      parser.place += 1
    }
    guard parser.peek() == nil else { throw parser.failure("something follows the object") }
  }

  private func failure(_ message: String) -> Failure { Failure("column \(place + 1): \(message)") }

  /// The next byte that is no space.
  private mutating func peek() -> UInt8? {
    while place < end, [32, 9, 10, 13].contains(bytes[place]) { place += 1 }
    return place < end ? bytes[place] : nil
  }

  private mutating func take(_ character: Unicode.Scalar) throws(Failure) {
    guard peek() == UInt8(ascii: character) else { throw failure("'\(character)' is missing") }
    place += 1
  }

  private mutating func value() throws(Failure) -> Value {
    guard let first = peek() else { throw failure("a value is missing") }
    switch first {
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    case UInt8(ascii: "n"):
      guard bytes[place...].starts(with: "null".utf8) else { throw failure("a value is missing") }
      place += 4
      return .null
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "-"):
      throw failure(
        "only strings, whole numbers and null are understood; JSON as a value is written as a string")
    default: throw failure("a value is missing")
    }
  }

  private mutating func number() throws(Failure) -> Value {
    let start = place
    while place < end, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[place]) { place += 1 }
    let digits = String(decoding: bytes[start..<place], as: UTF8.self)
    let isPart =
      place < end && [UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E")].contains(bytes[place])
    guard !isPart, let number = UInt64(digits), digits == "\(number)" else {
      throw failure("the number is not a whole one that is understood")
    }
    return .integer(number)
  }

  // MARK: Strings

  private mutating func string() throws(Failure) -> [UInt8] {
    try take("\"")
    var text: [UInt8] = []
    while true {
      let rest = bytes[place...]
      guard
        let end = rest.firstIndex(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") || $0 < 32 })
      else {
        place = end
        throw failure("a string has no end")
      }
      text += bytes[place..<end]
      place = end
      switch bytes[place] {
      case UInt8(ascii: "\""):
        guard String(validating: text, as: UTF8.self) != nil else { throw failure("a string is not UTF-8") }
        place += 1
        return text
      case UInt8(ascii: "\\"): try escape(into: &text)
      default: throw failure("a control character must be escaped in a string")
      }
    }
  }

  private mutating func escape(into text: inout [UInt8]) throws(Failure) {
    place += 1
    let letter = place < end ? bytes[place] : 0
    place += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(letter)
    case UInt8(ascii: "b"): text.append(8)
    case UInt8(ascii: "f"): text.append(12)
    case UInt8(ascii: "n"): text.append(10)
    case UInt8(ascii: "r"): text.append(13)
    case UInt8(ascii: "t"): text.append(9)
    case UInt8(ascii: "u"): text += try scalar().utf8
    default: throw failure("an escape in a string is not known")
    }
  }

  /// The character of one unit of UTF-16, or of two that belong together.
  private mutating func scalar() throws(Failure) -> String {
    let first = try unit()
    if let scalar = Unicode.Scalar(UInt32(first)) { return String(scalar) }
    if bytes[place...].starts(with: [UInt8(ascii: "\\"), UInt8(ascii: "u")]), first < 0xdc00 {
      place += 2
      let second = try unit()
      if (0xdc00...0xdfff).contains(second),
        let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xd800) << 10 + UInt32(second) - 0xdc00)
      {
        return String(scalar)
      }
    }
    throw failure("half a surrogate pair stands alone in a string")
  }

  private mutating func unit() throws(Failure) -> UInt16 {
    var unit: UInt16 = 0
    for _ in 0..<4 {
      guard place < end, let digit = HexText.value(bytes[place]) else {
        throw failure("\\u needs four hexadecimal digits")
      }
      unit = unit << 4 | UInt16(digit)
      place += 1
    }
    return unit
  }
}
