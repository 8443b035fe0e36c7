// A log position takes 16 bytes wherever it is stored: its generation, then its offset in units.

extension LogPosition {
  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(generation.rawValue, at: offset)
    bytes.store(self.offset.rawValue, at: offset + 8)
  }

  /// Decodes a position at an offset where the caller knows 16 bytes to be; nil if it is out of range.
  static func decode(_ bytes: RawSpan, at place: Int) -> LogPosition? {
    guard let generation = Generation(bytes.integer(at: place)),
      let offset = UnitOffset(bytes.integer(at: place + 8))
    else { return nil }
    return LogPosition(generation, offset)
  }
}
