internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

extension Engine {
  /// Sets a key to a value that gets slots of its own, which are written outside the lock (DESIGN.md 5).
  func setLarge(
    _ value: RawSpan, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ durability: SedimentDurability
  ) throws(SedimentError) -> Bool {
    let packedByteCount = packedByteCount(value, state)
    if let packedByteCount {
      // Compressed, it may be one that a record holds.
      let isMade = try ZstdCodec.withCurrent { (codec) throws(SedimentError) -> Bool? in
        guard let packed = codec.flatMap({ packWhole(value, expecting: packedByteCount, with: $0) }) else {
          return nil
        }
        do throws(SedimentError) {
          return try set(packed, of: value, key, state, expiry: expiry, if: condition, durability)
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
    return try makingSpace(forStoring: value.byteCount, recordOf: key.byteCount) { () throws(SedimentError) in
      try setLargeOnce(
        value, isPacked: packedByteCount != nil, key, state, expiry: expiry, if: condition, durability)
    }
  }

  private func setLargeOnce(
    _ value: RawSpan, isPacked: Bool, _ key: RawSpan, _ state: CollectionState, expiry: WrittenExpiry,
    if condition: WriteCondition, _ durability: SedimentDurability
  ) throws(SedimentError) -> Bool {
    try checkReadable()
    var reservation = Reservation(returned)
    let large = try writeExtents(value, besides: key.byteCount, isPacked: isPacked, &reservation)
    let (sequence, isMade) = try withWriter { (writer) throws(SedimentError) in
      if state.isDropped.load(ordering: .relaxed) { throw .dropped(path) }
      let hash = index.view.hash(key, collection: state.number)
      var form = RecordForm(kind: .putLarge, collection: state.number, transform: large.transform)
      if case .at(let time) = expiry { form.expiry = time }
      let isMade = try mayChange(key, hash, state, condition, expiry, &form.expiry, writer)
      if isMade {
        try putLarge(
          large, &reservation, key, hash, state, form, &writer, durability == .synced ? .written : .stored)
        writer.userByteCount &+= UInt64(key.byteCount &+ value.byteCount)
        if compresses {
          state.compression.count(
            value.byteCount, storedAs: large.storedByteCount, isCompressed: large.transform != nil,
            writer.permit)
        }
      }
      planSync(&writer, durability)
      return (writer.tail.countedSequence, isMade)
    }
    if durability == .synced { try waitForSync(sequence) }
    return isMade
  }

  /// Appends the record that commits a large value.
  func putLarge(
    _ large: WrittenExtents, _ reservation: inout Reservation, _ key: RawSpan, _ hash: UInt64,
    _ state: CollectionState, _ form: RecordForm, for purpose: SlotSpace.Purpose = .storing,
    _ writer: inout LogWriter, _ way: LogWriter.Way
  ) throws(SedimentError) {
    let byteCount = form.byteCount(keyByteCount: key.byteCount, valueByteCount: large.record.count)
    let isMapped = log.isWhollyMapped
    var probe = index.view.probe(hash)
    var old = isMapped ? nil : try readable(key, state, &probe)
    defer { old?.release() }
    try writer.makeRoom(byteCount, key, for: purpose)
    let position = try writer.append(
      form, byteCount: byteCount, key: key, value: unsafe large.record.span.bytes, way)
    adopt(large, &reservation, &writer)
    if isMapped { old = mapped(key, state, &probe, writer) }
    enter(hash, probe, old, state, form, at: position, byteCount: byteCount, &writer)
    state.countExtents(Int(large.place.slotCount), writer.permit)
    reseedIfCrowded(&writer)
  }

  /// Makes the catalogue and the slot table know extents that a record has committed.
  func adopt(_ large: WrittenExtents, _ reservation: inout Reservation, _ writer: inout LogWriter) {
    do throws(Catalogue.Contradiction) {
      try writer.catalogue.adopt(large.place)
    } catch {
      preconditionFailure("the writer contradicts its own catalogue: \(error.reason)")
    }
    for piece in large.place.pieces {
      writer.adopt(piece.extent, from: &reservation)
      writer.extentSlotCount += piece.extent.run.count
      writer.adoptedByteCount += UInt64(piece.extent.run.byteRange.count)
      slots.add(Segment(piece.extent, base: .zero, in: log.identity), piece.extent.run, writer.permit)
    }
  }

  /// Writes the bytes of a large value to slots that nobody knows of yet, compressed if that is wanted and saves enough.
  ///
  /// What stands in the record leaves room for a key of so many bytes.
  func writeExtents(
    _ value: RawSpan, besides keyByteCount: Int, isPacked: Bool, _ reservation: inout Reservation
  ) throws(SedimentError) -> WrittenExtents {
    if isPacked, let extents = try writePackedExtents(value, besides: keyByteCount, &reservation) {
      return extents
    }
    let extentByteCount = LargeValues.extentByteCount(of: value.byteCount, besides: keyByteCount)
    let pieces = try writePieces(value.extracting(0..<extentByteCount), mayScatter: true, &reservation)
    return WrittenExtents(pieces, tail: value.extracting(extentByteCount..<value.byteCount))
  }

  /// Writes bytes to an extent of their own or, if `mayScatter`, to several where free slots lie scattered.
  func writePieces(
    _ bytes: RawSpan, for purpose: SlotSpace.Purpose = .storing, mayScatter: Bool,
    _ reservation: inout Reservation
  ) throws(SedimentError) -> [ValuePlace.Piece] {
    let extents = try takeExtents(&reservation) { (writer) throws(SedimentError) in
      try writer.takeRuns(forExtentsOf: bytes.byteCount, for: purpose, mayScatter: mayScatter)
    }
    return try write(bytes, to: extents)
  }

  /// Writes bytes to extents that lie before a slot; nil if there is no room.
  func writePieces(
    _ bytes: RawSpan, before limit: UInt32, _ reservation: inout Reservation
  ) throws(SedimentError) -> [ValuePlace.Piece]? {
    let extents = try takeExtents(&reservation) { (writer) throws(SedimentError) in
      try writer.takeLowRuns(forExtentsOf: bytes.byteCount, before: limit) ?? []
    }
    return extents.isEmpty ? nil : try write(bytes, to: extents)
  }

  /// Writes bytes to an extent that lies behind a slot; nil if there is no room.
  func writePieces(
    _ bytes: RawSpan, behind limit: UInt32, _ reservation: inout Reservation
  ) throws(SedimentError) -> [ValuePlace.Piece]? {
    do throws(SedimentError) {
      let extents = try takeExtents(&reservation) { (writer) throws(SedimentError) in
        [
          try writer.takeHighRun(
            ExtentLayout(storedByteCount: UInt64(bytes.byteCount)).slotCount, behind: limit)
        ]
      }
      return try write(bytes, to: extents)
    } catch  where error.code == .outOfSpace {
      return nil
    }
  }

  private func write(
    _ bytes: RawSpan, to extents: [SegmentIdentity]
  ) throws(SedimentError) -> [ValuePlace.Piece] {
    var pieces: [ValuePlace.Piece] = []
    var offset = 0
    do throws(SedimentError) {
      for extent in extents {
        let most = ExtentLayout.storedByteCountMax(slotCount: extent.run.count)
        let end = min(offset + Int(most), bytes.byteCount)
        pieces.append(try LargeValues.write(bytes.extracting(offset..<end), to: extent, log))
        offset = end
      }
    } catch {
      // Nothing of the log was written, and what lies in the slots nobody will ever look at.
      throw told(error)
    }
    return pieces
  }

  private func takeExtents(
    _ reservation: inout Reservation, _ take: (inout LogWriter) throws(SedimentError) -> [SlotRun]
  ) throws(SedimentError) -> [SegmentIdentity] {
    try withWriter { (writer) throws(SedimentError) in
      var runs = try take(&writer)[...]
      var extents: [SegmentIdentity] = []
      do throws(SedimentError) {
        while let run = runs.popFirst() { extents.append(try writer.reserve(.extent, run, &reservation)) }
      } catch {
        for run in runs { writer.space.give(run.first..<run.end) }
        throw error
      }
      return extents
    }
  }
}

/// A large value whose bytes lie in slots, and the record value that will commit it.
struct WrittenExtents {
  let place: ValuePlace
  /// The value of the put large: the place, then the bytes that the extents leave out.
  let record: [UInt8]
  /// How it was compressed; nil if it was not.
  let transform: Transform?

  /// What lies in pieces, but for its last bytes.
  init(_ pieces: [ValuePlace.Piece], tail: RawSpan, _ transform: Transform? = nil) {
    place = ValuePlace(pieces: pieces, tailByteCount: tail.byteCount)!
    record = place.encode() + tail.array(0..<tail.byteCount)
    self.transform = transform
  }

  var storedByteCount: Int { Int(place.storedByteCount) }
}

/// How large values are laid out.
enum LargeValues {
  /// How many of a value's bytes go to its extent; the rest stands in the record.
  ///
  /// Only where the last slot would be wasted for the most part, and the waste is more than a 32nd of the value:
  /// a value in one piece can be read in place.
  /// Nor where the key and the places of all pieces leave no room for them in a record of one slot.
  static func extentByteCount(of valueByteCount: Int, besides keyByteCount: Int) -> Int {
    let overhead =
      ExtentLayout(storedByteCount: UInt64(valueByteCount)).tableByteCount + SegmentHeader.byteCount + 4
    let rest = (valueByteCount + overhead) % Limits.slotByteCount
    let waste = Limits.slotByteCount - rest
    guard rest > 0, rest < Limits.slotByteCount / 4, rest < valueByteCount,
      rest + keyByteCount <= keyAndTailByteCountMax, waste * 32 > valueByteCount
    else {
      return valueByteCount
    }
    return valueByteCount - rest
  }

  /// What a key and the bytes behind the pieces may have together, with as many pieces as scatter.
  private static var keyAndTailByteCountMax: Int {
    LogWriter.shortRecordByteCountMax - 40 * (LogWriter.scatteredRunCountMax + 1)
  }

  /// Writes an extent's header, bytes and chunk table.
  static func write(
    _ bytes: RawSpan, to extent: SegmentIdentity, _ log: LogFile
  ) throws(SedimentError) -> ValuePlace.Piece {
    let layout = ExtentLayout(storedByteCount: UInt64(bytes.byteCount))
    let start = extent.run.byteRange.lowerBound
    let seed = extent.seed(in: log.identity)
    let header = SegmentHeader(identity: extent, base: .zero, floor: .zero).encode(in: log.identity)
    try log.file.write(header, at: start)
    var checksums: [UInt32] = []
    for number in 0..<layout.chunkCount {
      let range = layout.chunk(number)
      let chunk = bytes.extracting(Int(range.lowerBound)..<Int(range.upperBound))
      checksums.append(ExtentLayout.checksum(ofChunk: number, chunk, seed: seed).rawValue)
      try log.file.write(chunk, at: start + ExtentLayout.bytesOffset + range.lowerBound)
    }
    // The zeros up to a multiple of 4, then the table.
    let bytesEnd = ExtentLayout.bytesOffset + layout.storedByteCount
    let gap = Int(layout.tableOffset - bytesEnd)
    let table = encoded(byteCount: gap + layout.tableByteCount) { bytes in
      for (number, checksum) in checksums.enumerated() { bytes.store(checksum, at: gap + number * 4) }
    }
    let tableBytes = unsafe table.span.bytes.extracting(gap..<table.count)
    try log.file.write(table, at: start + bytesEnd)
    return ValuePlace.Piece(
      extent: extent, checksum: seed.continued(with: tableBytes), storedByteCount: layout.storedByteCount)!
  }
}
