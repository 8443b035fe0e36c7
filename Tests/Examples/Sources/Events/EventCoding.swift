/// An event as the value of its position: version, stream and type, each text behind its length, then the data.
enum EventCoding {
  static func encode(_ event: Event, stream: String, version: UInt64) -> [UInt8] {
    var bytes = version.bigEndianBytes
    for text in [stream, event.type] {
      bytes += UInt64(text.utf8.count).bigEndianBytes
      bytes += text.utf8
    }
    return bytes + event.data
  }

  /// Nil for bytes that no event is encoded as.
  static func decode(_ bytes: [UInt8], at position: UInt64) -> RecordedEvent? {
    var rest = bytes[...]
    guard let version = takeNumber(&rest), let stream = takeText(&rest), let type = takeText(&rest) else {
      return nil
    }
    return RecordedEvent(
      position: position, stream: stream, version: version, event: Event(type: type, data: rest))
  }

  private static func takeNumber(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    guard rest.count >= 8 else { return nil }
    defer { rest = rest.dropFirst(8) }
    return UInt64(bigEndianBytes: rest.prefix(8))
  }

  private static func takeText(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard let length = takeNumber(&rest), length <= rest.count else { return nil }
    defer { rest = rest.dropFirst(Int(length)) }
    return String(validating: rest.prefix(Int(length)), as: UTF8.self)
  }
}

extension UInt64 {
  var bigEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> (56 - 8 * $0)) } }

  init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}
