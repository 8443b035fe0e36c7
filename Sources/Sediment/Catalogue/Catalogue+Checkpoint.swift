package import SedimentFormat

// The catalogue as the records of a checkpoint, in parts of a few pages each, so that none of them is long.

extension Catalogue {
  /// The most bytes of entries in one part: two parts fit into a segment of one slot.
  private static let partByteCountMax = 8_000
  /// The most bytes of one entry.
  private static let entryByteCountMax = 255 * Limits.unitByteCount

  /// The parts that say the catalogue; nil if it has more entries than a checkpoint can say.
  package var checkpointParts: [CheckpointPart]? {
    let lists = checkpointEntries.grouped(upTo: Self.partByteCountMax)
    var parts: [CheckpointPart] = []
    for (number, entries) in lists.enumerated() {
      guard let number = UInt16(exactly: number), let count = UInt16(exactly: lists.count),
        let part = CheckpointPart(number: number, of: count, entries)
      else { return nil }
      parts.append(part)
    }
    return parts
  }

  /// No more bytes than this do the records take that say a catalogue which has one more segment.
  var checkpointByteCountMax: Int {
    let entries = checkpointEntries.reduce(0) { $0 + $1.byteCount } + Self.entryByteCountMax
    let partCount = entries / (Self.partByteCountMax - Self.entryByteCountMax) + 1
    return entries + partCount * (Limits.recordFixedByteCount + 2 * Limits.unitByteCount)
  }
}

extension [CatalogueEntry] {
  /// The entries in groups of so many bytes at the most, or of one.
  func grouped(upTo byteCountMax: Int) -> [[CatalogueEntry]] {
    var groups: [[CatalogueEntry]] = []
    var byteCount = byteCountMax
    for entry in self {
      if byteCount + entry.byteCount > byteCountMax {
        groups.append([])
        byteCount = 0
      }
      groups[groups.count - 1].append(entry)
      byteCount += entry.byteCount
    }
    return groups
  }
}

extension ControlRecord {
  /// The whole record, checksum and padding included, that holds `value` at a place.
  package static func record(
    of value: [UInt8], sequence: SequenceNumber, at place: RecordPlace
  ) -> [UInt8] {
    let header = header(valueByteCount: value.count, sequence: sequence)
    return encoded(byteCount: header.byteCount) { bytes in
      header.encode(into: &bytes)
      bytes.copy(unsafe value.span.bytes, at: header.valueRange.lowerBound)
      RecordHeader.seal(&bytes, at: place)
    }
  }
}
