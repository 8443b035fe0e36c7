/// Entries of a checkpoint that were too many for the log and lie in a segment of their own.
package struct ElsewhereEntry: Hashable, Sendable {
  package var segment: SegmentIdentity
  /// The checksum of the entries, begun from the segment's seed.
  package var checksum: Checksum
  package var entryCount: UInt32
  package var byteCount: UInt64
  /// Catalogue changes from here on are not in them.
  package var asOf: LogPosition

  package init(
    segment: SegmentIdentity, checksum: Checksum, entryCount: UInt32, byteCount: UInt64, asOf: LogPosition
  ) {
    self.segment = segment
    self.checksum = checksum
    self.entryCount = entryCount
    self.byteCount = byteCount
    self.asOf = asOf
  }
}

extension ElsewhereEntry {
  private enum Place {
    static let entryCount = 4
    static let segment = 8
    static let checksum = 36
    static let byteCount = 40
    static let asOf = 48
  }

  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(entryCount, at: offset + Place.entryCount)
    segment.encode(into: &bytes, at: offset + Place.segment)
    bytes.store(checksum.rawValue, at: offset + Place.checksum)
    bytes.store(byteCount, at: offset + Place.byteCount)
    asOf.encode(into: &bytes, at: offset + Place.asOf)
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> ElsewhereEntry {
    let segment = try SegmentIdentity.decode(bytes, at: Place.segment, for: .catalogueEntry)
    guard segment.kind == .catalogue else { throw CatalogueEntry.failure(.field(.kind)) }
    let byteCount: UInt64 = bytes.integer(at: Place.byteCount)
    let room = UInt64(segment.run.byteRange.count - SegmentHeader.byteCount)
    let entryCount: UInt32 = bytes.integer(at: Place.entryCount)
    guard byteCount <= room, byteCount.isMultiple(of: UInt64(Limits.unitByteCount)),
      UInt64(entryCount) <= byteCount / UInt64(Limits.unitByteCount)
    else {
      throw CatalogueEntry.failure(.field(.length))
    }
    guard let asOf = LogPosition.decode(bytes, at: Place.asOf) else {
      throw CatalogueEntry.failure(.field(.position))
    }
    return ElsewhereEntry(
      segment: segment, checksum: Checksum(bytes.integer(at: Place.checksum)), entryCount: entryCount,
      byteCount: byteCount, asOf: asOf)
  }
}
