internal import SedimentFormat

/// A record that the index led to and whose key is the one that was asked for.
@safe struct FoundRecord {
  let view: RecordView
  /// Its first byte in the file.
  let position: UInt64
  let segment: Segment
  /// Memory of its own, to be deallocated, where the record was not read in place.
  let owner: UnsafeMutableRawPointer?

  var sequence: UInt64 { segment.sequence(low: view.sequenceLow) }

  @inline(__always) func release() {
    if let owner = unsafe owner { unsafe owner.deallocate() }
  }
}

/// What the accounts have of a record.
struct RecordAccount {
  let segment: Segment
  let position: UInt64
  let byteCount: Int
  let sequence: UInt64
  let expires: Bool
}

extension FoundRecord {
  @inline(__always) var account: RecordAccount {
    RecordAccount(
      segment: segment, position: position, byteCount: view.byteCount, sequence: sequence,
      expires: !view.isPlainPut && view.expiry != 0)
  }
}

extension FoundRecord {
  /// Where its value lies, if that is a large one.
  @inline(__always) var place: ValuePlace? { view.isPlainPut ? nil : placeOfLarge }

  private var placeOfLarge: ValuePlace? {
    guard view.kind == .putLarge else { return nil }
    return try? ValuePlace.decode(unsafe RawSpan(_unsafeBytes: view.value))
  }
}

extension FoundRecord {
  /// The same record, whose memory somebody else gives back.
  var borrowed: FoundRecord {
    unsafe FoundRecord(view: view, position: position, segment: segment, owner: nil)
  }
}
