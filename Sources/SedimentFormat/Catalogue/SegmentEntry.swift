/// A segment that counts.
package struct SegmentEntry: Hashable, Sendable {
  package var identity: SegmentIdentity
  package var base: SequenceNumber
  package var floor: SequenceNumber
  /// Behind its last record; nil while it is the tail, and for kinds without records.
  package var end: UnitOffset?
  package var highest: SequenceNumber
  /// The latest expiry of its puts, 0 where one of them does not expire.
  package var latestExpiry: UInt64
  /// What of it expires when, as far as space depends on it.
  package var expiring: ExpiryClasses
  /// How many records it holds that are no control records.
  package var recordCount: UInt32
  /// How many of them are tombstones.
  package var tombstoneCount: UInt32
  /// How many of them are puts of large values.
  package var largeCount: UInt32

  package init(
    identity: SegmentIdentity, base: SequenceNumber, floor: SequenceNumber, end: UnitOffset?,
    highest: SequenceNumber, latestExpiry: UInt64, recordCount: UInt32, tombstoneCount: UInt32,
    largeCount: UInt32, expiring: ExpiryClasses = ExpiryClasses()
  ) {
    self.identity = identity
    self.base = base
    self.floor = floor
    self.end = end
    self.highest = highest
    self.latestExpiry = latestExpiry
    self.expiring = expiring
    self.recordCount = recordCount
    self.tombstoneCount = tombstoneCount
    self.largeCount = largeCount
  }
}

extension SegmentEntry {
  private enum Place {
    static let identity = 4
    static let base = 32
    static let floor = 40
    static let end = 48
    static let highest = 56
    static let latestExpiry = 64
    static let recordCount = 72
    static let tombstoneCount = 76
    static let dataKey = 80
    static let largeCount = 84
    /// For each class of lifetimes the units and the steps of time, then the puts of large values.
    static let expiring = 88
    static let expiringLarge = expiring + 8 * ExpiryClasses.count
  }

  /// The bytes of an entry of which nothing expires.
  static let byteCountMin = Place.expiring
  package static let byteCountMax = Place.expiringLarge + 2 * ExpiryClasses.count

  /// The bytes of the entry: what expires when is left out where nothing does.
  var byteCount: Int { expiring.isEmpty ? Self.byteCountMin : Self.byteCountMax }

  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    identity.encode(into: &bytes, at: offset + Place.identity)
    bytes.store(base.rawValue, at: offset + Place.base)
    bytes.store(floor.rawValue, at: offset + Place.floor)
    bytes.store(end?.rawValue ?? 0, at: offset + Place.end)
    bytes.store(highest.rawValue, at: offset + Place.highest)
    bytes.store(latestExpiry, at: offset + Place.latestExpiry)
    bytes.store(recordCount, at: offset + Place.recordCount)
    bytes.store(tombstoneCount, at: offset + Place.tombstoneCount)
    bytes.store(largeCount, at: offset + Place.largeCount)
    if expiring.isEmpty { return }
    for number in 0..<ExpiryClasses.count {
      bytes.store(expiring.unitCounts[number], at: offset + Place.expiring + 8 * number)
      bytes.store(expiring.steps[number], at: offset + Place.expiring + 8 * number + 4)
      bytes.store(expiring.largeCounts[number], at: offset + Place.expiringLarge + 2 * number)
    }
  }

  static func decode(_ bytes: RawSpan) throws(FormatError) -> SegmentEntry {
    let identity = try SegmentIdentity.decode(bytes, at: Place.identity, for: .catalogueEntry)
    guard let base = SequenceNumber(bytes.integer(at: Place.base)),
      let floor = SequenceNumber(bytes.integer(at: Place.floor)),
      floor == base || floor > base && identity.kind != .hot,
      let highest = SequenceNumber(bytes.integer(at: Place.highest)), base <= highest
    else { throw CatalogueEntry.failure(.field(.sequence)) }
    let latestExpiry: UInt64 = bytes.integer(at: Place.latestExpiry)
    guard latestExpiry <= Limits.clockMax else { throw CatalogueEntry.failure(.field(.expiry)) }
    var expiring = ExpiryClasses()
    for number in 0..<ExpiryClasses.count where bytes.byteCount >= byteCountMax {
      expiring.unitCounts[number] = bytes.integer(at: Place.expiring + 8 * number)
      expiring.steps[number] = bytes.integer(at: Place.expiring + 8 * number + 4)
      expiring.largeCounts[number] = bytes.integer(at: Place.expiringLarge + 2 * number)
    }
    guard bytes.integer(UInt32.self, at: Place.dataKey) == 0 else {
      throw CatalogueEntry.failure(.newer(.dataKey))
    }
    let entry = SegmentEntry(
      identity: identity, base: base, floor: floor, end: try decodeEnd(bytes, of: identity), highest: highest,
      latestExpiry: latestExpiry, recordCount: bytes.integer(at: Place.recordCount),
      tombstoneCount: bytes.integer(at: Place.tombstoneCount),
      largeCount: bytes.integer(at: Place.largeCount),
      expiring: expiring)
    guard UInt64(entry.tombstoneCount) + UInt64(entry.largeCount) <= UInt64(entry.recordCount) else {
      throw CatalogueEntry.failure(.field(.count))
    }
    return entry
  }

  private static func decodeEnd(
    _ bytes: RawSpan, of identity: SegmentIdentity
  ) throws(FormatError) -> UnitOffset? {
    let end: UInt64 = bytes.integer(at: Place.end)
    switch identity.kind {
    case .hot where end == 0: return nil
    case .extent, .index, .window:
      guard end == 0 else { throw CatalogueEntry.failure(.field(.end)) }
      return nil
    case .hot, .survivors:
      guard let end = UnitOffset(end), identity.recordRange.contains(end) else {
        throw CatalogueEntry.failure(.field(.end))
      }
      return end
    }
  }
}
