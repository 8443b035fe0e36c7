internal import SedimentFormat

// Room for the records of a batch, all of which is there before the first is appended.

extension LogWriter {
  /// The segments that the records of a batch will lie in besides the tail, each with the number of its first record.
  struct BatchRoom {
    fileprivate var segments: [(first: Int, segment: NextSegment)] = []
    /// How many of these the log has gone on in.
    fileprivate var enteredCount = 0

    /// The number of the record with which the next of them begins; the highest number if there is none.
    var next: Int { enteredCount < segments.count ? segments[enteredCount].first : .max }
  }

  /// Takes room for records of so many bytes in all, in as many segments as they need, or throws with nothing changed.
  ///
  /// A batch makes no segment longer than compaction can empty whatever is free. How long each record is, and whether it
  /// needs a segment of its own, is asked only where not all of them fit into one.
  @inline(__always)
  func takeRoom(
    _ total: Int, for purpose: SlotSpace.Purpose, recordCount: Int, hasAlone: Bool,
    byteCount: (Int) -> Int, isAlone: (Int) -> Bool
  ) throws(SedimentError) -> BatchRoom {
    if !hasAlone, unsafe tail.pointee.offset &+ UInt64(total) <= tail.pointee.softEnd { return BatchRoom() }
    return try takeRoomAhead(total, for: purpose, recordCount, hasAlone, byteCount, isAlone)
  }

  @inline(never)
  private func takeRoomAhead(
    _ total: Int, for purpose: SlotSpace.Purpose, _ recordCount: Int, _ hasAlone: Bool,
    _ byteCount: (Int) -> Int, _ isAlone: (Int) -> Bool
  ) throws(SedimentError) -> BatchRoom {
    var result = BatchRoom()
    touchesPages = total <= Self.storedByteCountMax
    if !hasAlone, total <= room(for: purpose) {
      setSoftEnd(roomFor: total)
      return result
    }
    // What does not fit into the tail begins in a segment of its own: records that came together go together.
    var (number, left, room) = (0, total, 0)
    do throws(SedimentError) {
      while number < recordCount {
        let byteCount = byteCount(number)
        let isForOneRecord = hasAlone && isAlone(number)
        if isForOneRecord || room < byteCount {
          let segment = try takeSegment(
            roomFor: byteCount, upTo: hasAlone ? 0 : left, purpose, isForOneRecord: isForOneRecord)
          result.segments.append((number, segment))
          room = segment.room
          if !hasAlone, left <= room { break }
        }
        room = isForOneRecord ? 0 : room - byteCount
        left -= byteCount
        number += 1
      }
    } catch {
      for (_, segment) in result.segments { giveBack(segment) }
      throw error
    }
    return result
  }

  /// Takes room for records of so many bytes each, or throws with nothing changed.
  ///
  /// It needs no more than single free slots for records of which each fits into one.
  func takeRoom(
    forEachOf byteCounts: [Int], for purpose: SlotSpace.Purpose
  ) throws(SedimentError) -> BatchRoom {
    try provideRoom(forAllOf: byteCounts)
    var result = BatchRoom()
    var room = room(for: purpose)
    do throws(SedimentError) {
      for (number, byteCount) in byteCounts.enumerated() {
        if room < byteCount {
          let segment = try takeSegment(roomFor: byteCount, purpose)
          result.segments.append((number, segment))
          room = segment.room
        }
        room -= byteCount
      }
    } catch {
      for (_, segment) in result.segments { giveBack(segment) }
      throw error
    }
    return result
  }

  /// Goes on in the next segment of a batch; what fails poisons.
  func goOn(inNextOf room: inout BatchRoom, roomFor byteCount: Int) throws(SedimentError) {
    try goOn(in: room.segments[room.enteredCount].segment)
    room.enteredCount += 1
    setSoftEnd(roomFor: byteCount)
  }
}
