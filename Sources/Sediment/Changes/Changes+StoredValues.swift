internal import SedimentFormat
internal import Synchronization

/// A value in the form in which some file stores it, to be stored in the same form elsewhere.
struct StoredValue {
  /// Where its stored bytes come from.
  let parts: StoredValueParts
  let storedByteCount: Int
  /// How it was compressed, without a dictionary; nil if it was not.
  let transform: Transform?
  /// The bytes of the value as its user set them.
  let byteCount: Int
}

extension Changes {
  /// Sets a key to a value of another file without compressing it anew, in memory that does not depend on its length.
  ///
  /// Throws `damaged` with the path of that file if the value is not whole; the key then is as before.
  func setStored(
    _ value: StoredValue, _ key: RawSpan, _ state: CollectionState, expiry: UInt64
  ) throws(SedimentError) {
    try checkLengths(key, RawSpan())
    if value.storedByteCount <= log.inlineValueByteCountMax {
      try setStoredRecord(value, key, state, expiry: expiry)
    } else {
      _ = try compactor.makingSpace(forStoring: value.storedByteCount, recordOf: key.byteCount) {
        () throws(SedimentError) in
        var reservation = Reservation(returned)
        let large = try copyExtents(of: value, besides: key.byteCount, &reservation)
        return try commit(
          large, &reservation, byteCount: value.byteCount, key, state, expiry: .at(expiry), if: .always,
          .unsynced)
      }
    }
  }

  private func setStoredRecord(
    _ value: StoredValue, _ key: RawSpan, _ state: CollectionState, expiry: UInt64
  ) throws(SedimentError) {
    var source = StoredBytes(value.parts)
    let bytes = try source.next(value.storedByteCount)
    try compactor.makingSpace(forStoring: bytes.count, recordOf: key.byteCount) { () throws(SedimentError) in
      try log.transact(.unsynced) { (writer) throws(SedimentError) in
        if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
        let form = RecordForm(collection: state.number, expiry: expiry, transform: value.transform)
        let home = index.view.home(key, collection: state.number)
        try contents.put(
          unsafe bytes.span.bytes, key, home, state, form, &writer, LogWriter.Way(.unsynced))
        writer.catalogue.numbers.totals.userByteCount &+= UInt64(key.byteCount &+ value.byteCount)
        contents.reseedIfCrowded(&writer)
      }
    }
  }

  /// Copies the stored bytes of a value to extents that nobody knows of yet.
  private func copyExtents(
    of value: StoredValue, besides keyByteCount: Int, _ reservation: inout Reservation
  ) throws(SedimentError) -> WrittenExtents {
    var source = StoredBytes(value.parts)
    let byteCount = LargeValues.extentByteCount(of: value.storedByteCount, besides: keyByteCount)
    let pieces = try log.writePieces(ofByteCount: byteCount, mayScatter: true, &reservation) {
      (range, body) throws(SedimentError) in
      let bytes = try source.next(range.count)
      try body(unsafe bytes.span.bytes)
    }
    let tail = try source.next(value.storedByteCount - byteCount)
    return unsafe WrittenExtents(pieces, tail: tail.span.bytes, value.transform)
  }
}

extension SedimentCollection {
  /// Sets a key to a value of another file; see `Changes.setStored`.
  func setStored(_ value: StoredValue, forKey key: [UInt8], expiry: UInt64) throws(SedimentError) {
    try store.changes.setStored(value, unsafe key.span.bytes, state, expiry: expiry)
  }
}

/// The stored bytes of a value, taken so many at a time as the taker has room for.
private struct StoredBytes {
  private var parts: StoredValueParts
  /// Bytes that were read and not taken yet.
  private var rest: ArraySlice<UInt8> = []

  init(_ parts: StoredValueParts) { self.parts = parts }

  /// The next bytes; throws `damaged` if there are not as many.
  mutating func next(_ count: Int) throws(SedimentError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    while bytes.count < count {
      if rest.isEmpty {
        guard let part = try parts.next() else { throw .damagedRecord(parts.path, offset: 0) }
        rest = part[...]
      }
      let taken = rest.prefix(count - bytes.count)
      bytes += taken
      rest = rest.dropFirst(taken.count)
    }
    return bytes
  }
}
