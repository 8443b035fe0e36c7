internal import SedimentFormat

// Room for the records of a batch, all of which is there before the first is appended.

extension LogWriter {
  /// The segments that the records of a batch will lie in besides the tail, each with the number of its first record.
  struct BatchRoom: ~Copyable {
    fileprivate var reservation: Reservation
    fileprivate var segments: [(first: Int, segment: NextSegment)] = []
    /// How many of these the log has gone on in.
    fileprivate var enteredCount = 0

    init(_ returned: ReturnedSlots) {
      reservation = Reservation(returned)
    }

    /// The number of the record with which the next of them begins; the highest number if there is none.
    var next: Int { enteredCount < segments.count ? segments[enteredCount].first : .max }
  }

  /// Takes room for records of so many bytes in all, in as many segments as they need, or throws with nothing changed.
  ///
  /// A batch makes no segment longer than compaction can empty whatever is free. How long each record is, and whether it
  /// needs a segment of its own, is asked only where not all of them fit into one.
  @inline(__always)
  mutating func takeRoom(
    _ total: Int, for purpose: SlotSpace.Purpose, recordCount: Int, hasAlone: Bool,
    byteCount: (Int) -> Int, isAlone: (Int) -> Bool
  ) throws(SedimentError) -> BatchRoom {
    if !hasAlone, tail.offset &+ UInt64(total) <= tail.softEnd { return BatchRoom(returned) }
    return try takeRoomAhead(total, for: purpose, recordCount, hasAlone, byteCount, isAlone)
  }

  @inline(never)
  private mutating func takeRoomAhead(
    _ total: Int, for purpose: SlotSpace.Purpose, _ recordCount: Int, _ hasAlone: Bool,
    _ byteCount: (Int) -> Int, _ isAlone: (Int) -> Bool
  ) throws(SedimentError) -> BatchRoom {
    if !hasAlone, total <= room(for: purpose) {
      setSoftEnd(roomFor: total)
      return BatchRoom(returned)
    }
    // What does not fit into the tail begins in a segment of its own: records that came together go together.
    return try takeSegments(
      behind: 0, for: recordCount, purpose, together: hasAlone ? nil : total, byteCount
    ) { hasAlone && isAlone($0) }
  }

  /// Takes room for records of so many bytes each, in the rest of the tail and in as short segments as will do, or throws
  /// with nothing changed.
  ///
  /// It needs no more than single free slots for records of which each fits into one.
  mutating func takeRoom(
    forEachOf byteCounts: [Int], for purpose: SlotSpace.Purpose
  ) throws(SedimentError) -> BatchRoom {
    try takeSegments(behind: room(for: purpose), for: byteCounts.count, purpose, together: nil) {
      byteCounts[$0]
    } _: { _ in
      false
    }
  }

  /// Takes segments for the records that do not fit into so many bytes before these; one for all of `total` bytes, if
  /// there is that and such a row of slots.
  private mutating func takeSegments(
    behind first: Int, for recordCount: Int, _ purpose: SlotSpace.Purpose, together total: Int?,
    _ byteCount: (Int) -> Int, _ isAlone: (Int) -> Bool
  ) throws(SedimentError) -> BatchRoom {
    var result = BatchRoom(returned)
    var (room, left) = (first, total ?? 0)
    for number in 0..<recordCount {
      let byteCount = byteCount(number)
      let isForOneRecord = isAlone(number)
      if isForOneRecord || room < byteCount {
        let segment = try takeSegment(
          roomFor: byteCount, upTo: left, purpose, isForOneRecord: isForOneRecord, &result.reservation)
        result.segments.append((number, segment))
        room = segment.room
        if total != nil, left <= room { break }
      }
      room = isForOneRecord ? 0 : room - byteCount
      if total != nil { left -= byteCount }
    }
    return result
  }

  /// Goes on in the next segment of a batch; what fails poisons.
  mutating func goOn(inNextOf room: inout BatchRoom, roomFor byteCount: Int) throws(SedimentError) {
    try goOn(in: room.segments[room.enteredCount].segment, &room.reservation)
    room.enteredCount += 1
    setSoftEnd(roomFor: byteCount)
  }
}
