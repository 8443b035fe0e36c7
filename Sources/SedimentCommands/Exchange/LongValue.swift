internal import Sediment

/// The pieces that a long value is written in: each of whole units, so that it can be encoded by itself.
enum ValueUnit {
  /// A character of UTF-8, whose bytes are not divided.
  case character
  /// As many bytes as four letters of Base64 stand for, or as a line of a dump has.
  case bytes(Int)

  /// The bytes at the beginning of a part that are whole units.
  fileprivate func wholeByteCount(of part: [UInt8]) -> Int {
    switch self {
    case .bytes(let count): return part.count / count * count
    case .character:
      // A first byte tells how many follow; only the last three can lack some.
      for distance in 1...3 where distance <= part.count {
        let byte = part[part.count - distance]
        if byte & 0xc0 == 0x80 { continue }
        let length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
        return length > distance ? part.count - distance : part.count
      }
      return part.count
    }
  }
}

extension ValueStream {
  /// From this length on a value is passed on a part at a time, and never put together.
  static let longByteCountMin: UInt64 = 1 << 20

  var isLong: Bool { byteCount >= Self.longByteCountMin }

  /// Calls a closure with parts of whole units, but for the last one.
  func forEachPart(of unit: ValueUnit, _ body: ([UInt8]) throws -> Void) throws {
    var rest: [UInt8] = []
    try forEachPart { part in
      try Signals.check()
      let bytes = rest + part
      let count = unit.wholeByteCount(of: bytes)
      rest = Array(bytes[count...])
      if count > 0 { try body(Array(bytes[..<count])) }
    }
    if !rest.isEmpty { try body(rest) }
  }

  /// Whether all parts are UTF-8 that a test allows.
  func isText(where isAllowed: ([UInt8]) -> Bool = { _ in true }) throws -> Bool {
    var isText = true
    try forEachPart(of: .character) { part in
      isText = isText && String(validating: part, as: UTF8.self) != nil && isAllowed(part)
    }
    return isText
  }
}
