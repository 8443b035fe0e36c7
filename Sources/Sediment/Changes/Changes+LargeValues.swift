internal import SedimentFormat
internal import Synchronization

extension Changes {
  /// Sets a key to a value that gets slots of its own, which are written outside the lock (DESIGN.md 5).
  func setLarge(
    _ value: RawSpan, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool {
    let packedByteCount = compressor.packedByteCount(value, state)
    if let packedByteCount {
      // Compressed, it may be one that a record holds.
      let isMade = try ZstdCodec.withCurrent { (codec) throws(SedimentError) -> Bool? in
        guard
          let packed = codec.flatMap({ compressor.packWhole(value, expecting: packedByteCount, with: $0) })
        else {
          return nil
        }
        do throws(SedimentError) {
          return try compactor.makingSpace(forStoring: unsafe packed.bytes.count, recordOf: key.byteCount) {
            () throws(SedimentError) in
            try setOnce(value, packed, key, state, expiry: expiry, if: condition, durability)
          }
        } catch {
          // Room may be there, but not in a row.
          guard error.code == .outOfSpace, unsafe packed.bytes.count > LogWriter.heldValueByteCountMax else {
            throw error
          }
          return nil
        }
      }
      if let isMade { return isMade }
    }
    return try compactor.makingSpace(forStoring: value.byteCount, recordOf: key.byteCount) {
      () throws(SedimentError) in
      try setLargeOnce(
        value, isPacked: packedByteCount != nil, key, state, expiry: expiry, if: condition, durability)
    }
  }

  private func setLargeOnce(
    _ value: RawSpan, isPacked: Bool, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool {
    try lifetime.check()
    var reservation = Reservation(returned)
    let large = try writeExtents(value, besides: key.byteCount, isPacked: isPacked, &reservation)
    return try commit(
      large, &reservation, byteCount: value.byteCount, key, state, expiry: expiry, if: condition, durability)
  }

  /// Commits a large value of so many bytes that was written to extents, if the condition holds.
  func commit(
    _ large: WrittenExtents, _ reservation: inout Reservation, byteCount: Int, _ key: RawSpan,
    _ state: CollectionState, expiry: WrittenExpiry, if condition: WriteCondition,
    _ durability: WrittenDurability
  ) throws(SedimentError) -> Bool {
    try log.transact(durability) { (writer) throws(SedimentError) in
      if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
      let hash = index.view.hash(key, collection: state.number)
      var form = RecordForm(kind: .putLarge, collection: state.number, transform: large.transform)
      if case .at(let time) = expiry { form.expiry = time }
      // What is replaced in any case is not looked at: its record may be damaged.
      let isMade: Bool
      if case .always = condition, case .at = expiry {
        isMade = true
      } else {
        isMade = try contents.mayChange(key, hash, state, condition, expiry, &form.expiry, writer)
      }
      if isMade {
        try contents.putLarge(
          large, &reservation, key, hash, state, form, &writer, LogWriter.Way(durability))
        writer.catalogue.numbers.totals.userByteCount &+= UInt64(key.byteCount &+ byteCount)
        if compresses {
          state.compression.count(
            byteCount, storedAs: large.storedByteCount, isCompressed: large.transform != nil,
            writer.permit)
        }
      }
      return isMade
    }
  }

  /// Writes the bytes of a large value to slots that nobody knows of yet, compressed if that is wanted and saves enough.
  ///
  /// What stands in the record leaves room for a key of so many bytes.
  func writeExtents(
    _ value: RawSpan, besides keyByteCount: Int, isPacked: Bool, _ reservation: inout Reservation
  ) throws(SedimentError) -> WrittenExtents {
    if isPacked, let extents = try compressor.writePackedExtents(value, besides: keyByteCount, &reservation) {
      return extents
    }
    let extentByteCount = LargeValues.extentByteCount(of: value.byteCount, besides: keyByteCount)
    let pieces = try log.writePieces(value.extracting(0..<extentByteCount), mayScatter: true, &reservation)
    return WrittenExtents(pieces, tail: value.extracting(extentByteCount..<value.byteCount))
  }
}
