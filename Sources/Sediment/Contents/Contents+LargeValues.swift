internal import SedimentFormat

extension Contents {
  /// Makes the catalogue and the slot table know extents that a record has committed.
  func adopt(_ large: WrittenExtents, _ reservation: inout Reservation, _ writer: inout LogWriter) {
    writer.follow { (catalogue) throws(Catalogue.Contradiction) in try catalogue.adopt(large.place) }
    for piece in large.place.pieces {
      writer.space.adopt(piece.extent.run, from: &reservation)
      writer.extentSlotCount += piece.extent.run.count
      writer.adoptedByteCount += UInt64(piece.extent.run.byteRange.count)
      slots.add(Segment(piece.extent, base: .zero, in: volume.identity), piece.extent.run, writer.permit)
    }
  }

  /// Commits a large value that was written anew, unless its key got another record meanwhile.
  func enter(
    _ large: WrittenExtents, _ reservation: inout Reservation, insteadOf found: FoundRecord,
    _ state: CollectionState
  ) throws(SedimentError) {
    try log.withWriter { (writer) throws(SedimentError) in
      let key = unsafe RawSpan(_unsafeBytes: found.view.key)
      let hash = index.view.hash(key, collection: state.number)
      guard index.view.find(hash, at: found.position >> 3) != nil, state.counts(found.sequence) else {
        return
      }
      let form = RecordForm(
        kind: .putLarge, collection: state.number, expiry: found.view.expiry, transform: large.transform)
      try putLarge(large, &reservation, key, hash, state, form, for: .goingOn, &writer, .stored)
    }
  }

  /// The slots of extents in the catalogue that no value has, and that do not wait to be freed; those of values that were
  /// cleared are among them until these are swept out.
  func lostExtentSlotCount(_ writer: borrowing LogWriter) -> Int {
    Int(writer.extentSlotCount) &- collections.extentSlotCount &- Int(writer.deadExtentSlotCount)
  }
}
