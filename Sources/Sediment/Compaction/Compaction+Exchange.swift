internal import SedimentDisk
internal import SedimentFormat

// Which segments are emptied together, and what is tried where their survivors find no room (DESIGN.md 8).

extension Compaction {
  /// Empties segments, the first of them first, until so many slots are won; how many were, and whether the record at
  /// `removedPosition`, in units, was what its key had, and was removed.
  ///
  /// Free slots may lie so scattered that there is no room for a record of several: its value is stored anew in slots as
  /// they lie, or the segment that holds it stays as it is. `evenForNothing` says that the first is worth emptying though
  /// that wins nothing, since it holds up others; with a `limit`, which survivors go before, all are, since they lie where
  /// the file should end.
  @discardableResult
  func exchange(
    _ victims: [Generation], in survey: SpaceSurvey, evicting: Bool = false, winning gain: Int,
    keepingAtMost byteCountMax: Int = .max, evenForNothing: Bool = false, before limit: UInt32? = nil,
    removing removedPosition: UInt64? = nil
  ) throws(SedimentError) -> (won: Int, hasRemoved: Bool) {
    let terms = try log.withWriter { (writer) throws(SedimentError) in
      Exchange.Terms(
        floor: SequenceNumber(writer.tail.sequence)!,
        expiredUpTo: writer.expiredUpTo(evicting: evicting || erasingCount > 0), evicts: evicting,
        byteCountMax: byteCountMax,
        evictedSlotCount: max(gain, Int(survey.wantedRoom)), removedPosition: removedPosition,
        dropsDictionaries: erasingCount > 0)
    }
    let memory = memory ?? ExchangeMemory()
    let entries = writer.withLock { writer in victims.compactMap { writer.catalogue.segments[$0] } }
    var left = entries
    var unplacedCount = 0
    while true {
      let guardFloor = writer.withLock { writer in self.guardFloor(emptying: victims.count, writer) }
      let exchange = Exchange(
        contents, compressor, writer, terms, guardFloor, memory, segmentSlotCount: survey.segmentSlotCount,
        before: limit)
      do throws(SedimentError) {
        let won = try exchange.run(
          left, winning: gain,
          evenForNothing && (limit != nil || erasingCount > 0 || left.first == entries.first))
        return (won, exchange.hasRemoved)
      } catch {
        guard error.code == .outOfSpace, exchange.change == nil else { throw error }
        if let unplaced = exchange.unplaced {
          unplacedCount += 1
          if unplacedCount > Self.unplacedCountMax { throw error }
          if unplaced.kind != .remove, try hasScattered(unplaced.oldPosition, before: limit) { continue }
          let slot = UInt32(unplaced.oldPosition / Limits.slotUnitCount)
          left.removeAll { ($0.identity.run.first..<$0.identity.run.end).contains(slot) }
        } else if exchange.victims.count > 1, left.count > 1 {
          // The last of them have taken the room that the first need: fewer may win as well.
          left.removeLast(left.count - max(min(exchange.victims.count, left.count) / 2, 1))
        } else {
          throw error
        }
      }
    }
  }

  /// So many records that cannot be moved are dealt with in one search.
  private static var unplacedCountMax: Int { 64 }

  /// Whether the value of a record was stored anew in scattered slots; false if there are not even so many, or if it
  /// cannot be read.
  private func hasScattered(_ position: UInt64, before limit: UInt32?) throws(SedimentError) -> Bool {
    do throws(SedimentError) {
      return try scatter(at: position, to: limit.map { .before($0) } ?? .anywhere)
    } catch  where error.code == .outOfSpace || error.isOfReading {
      return false
    }
  }
}
