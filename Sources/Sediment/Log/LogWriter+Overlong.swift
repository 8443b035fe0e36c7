internal import SedimentDisk
internal import SedimentFormat

// A file that is longer than its cap, because it was opened with a lower one than before (DESIGN.md 8, "A lower cap").

extension LogWriter {
  /// The slots that have to be free of the file, once it is no longer than its cap.
  var reservedCountAtCap: UInt32 {
    space.isOverlong ? reserve(ofFile: space.slotCountMax).slotCount(leftBy: .storing) : space.reservedCount
  }

  /// The slots that there are for users before the cap is reached.
  var roomSlotCount: UInt32 { roomSlotCount(beyondCap: 0) }

  /// The same, if users may go so many slots beyond the cap.
  private func roomSlotCount(beyondCap granted: UInt32) -> UInt32 {
    let kept = max(space.overhang + reservedCountAtCap - min(granted, space.overhang), space.reservedCount)
    return space.presentSlotCount - min(space.presentSlotCount, kept)
  }

  /// The slots that users may take though the file is longer than its cap.
  ///
  /// Where what was not read lately makes room, half of the slots that came back count besides those before the cap: a
  /// change need not wait until all of what is beyond it was evicted.
  private var storableSlotCount: UInt32 {
    let granted = grantedSlotCount - min(grantedSlotCount, UInt32(clamping: space.reclaimedSlotCount / 2))
    return roomSlotCount(beyondCap: granted)
  }

  /// Where users may take slots: before the first of these if there is room, else before the next.
  private var storableLimits: [UInt32] {
    grantedSlotCount > 0 ? [space.slotCountMax, space.end] : [space.slotCountMax]
  }

  /// Whether users may take so many slots; where the file is no longer than its cap, the space itself decides.
  func mayStore(_ count: UInt32) -> Bool { !space.isOverlong || storableSlotCount >= count }

  /// After opening: how far users may go beyond the cap for now, so that each change need evict only twice its measure.
  mutating func noteOverhang() {
    let needed = space.usedSlotCount + reservedCountAtCap
    grantedSlotCount = evicts && needed > space.slotCountMax ? needed - space.slotCountMax : 0
  }

  /// Takes slots for what users store, before the cap as long as there are any.
  mutating func takeStorableRun(
    upTo count: UInt32, atLeast least: UInt32, _ reservation: inout Reservation
  ) throws(SedimentError) -> SlotRun {
    let count = min(count, storableSlotCount)
    if count >= least {
      for limit in storableLimits {
        for least in [max(SegmentSizes.leastRunSlotCount(of: count), least), least] where least <= count {
          if let run = try takeLowRun(upTo: count, atLeast: least, before: limit, &reservation) { return run }
        }
      }
    }
    throw .capReached(volume.file.path, SlotSpace.byteCount(of: space.slotCountMax))
  }

  /// Takes slots for a large value that users store, in several runs where they lie scattered.
  mutating func takeStorableRuns(
    forExtentsOf byteCount: Int, _ reservation: inout Reservation
  ) throws(SedimentError) -> [SlotRun] {
    // The headers of all take less than one slot more.
    if mayStore(ExtentLayout(storedByteCount: UInt64(byteCount)).slotCount + 1) {
      for limit in storableLimits {
        if let runs = try takeLowRuns(forExtentsOf: byteCount, before: limit, &reservation) { return runs }
      }
    }
    throw .capReached(volume.file.path, SlotSpace.byteCount(of: space.slotCountMax))
  }

  // MARK: Coming down

  /// Whether all that the file holds finds room before its cap, with the stored index or once that is dropped.
  func fitsBelowCap(withIndex: Bool) -> Bool {
    let index = withIndex ? 0 : catalogue.indexSlotCount
    let used = space.usedSlotCount - min(index, space.usedSlotCount)
    return used + reservedCountAtCap + Self.spareSlotCount <= space.slotCountMax
  }

  /// The room that must be left before the cap for the file to come down to it: the log goes on in one slot at least, and
  /// a file that is longer by a few keeps a little more in reserve.
  static var spareSlotCount: UInt32 { 4 }
}
