internal import SedimentDisk
internal import SedimentFormat

// Blocks for slots: for those of a longer file, and for bare ones.

extension LogWriter {
  /// Sees to it that so many slots are free, wherever they lie; what is bare gets blocks first.
  mutating func provide(_ count: UInt32) throws(SedimentError) {
    takeBackReserved()
    while space.freeCount < count {
      let missing = count - space.freeCount
      if let bare = space.bareRun(for: missing, isAdjacent: false), try giveBlocks(to: bare) > 0 { continue }
      try extend(by: missing)
    }
  }

  /// Gives bare slots blocks; how many slots are free now that were bare.
  ///
  /// Where the disk has none for them, it looks for bare slots that have blocks already, whoever left them: so a full
  /// disk takes nothing from a store that is opened again. With 0 there are no such slots either, as far as is known.
  mutating func giveBlocks(to run: Range<UInt32>) throws(SedimentError) -> UInt32 {
    if try hasGiven(run) { return UInt32(run.count) }
    while let idle = space.idleRun(upTo: Self.idleSlotCountMax), mayHaveBlocks(from: idle.lowerBound) {
      let count = try giveBlocks(toPartsOf: idle)
      space.idleStart = idle.upperBound
      if count > 0 { return count }
    }
    return 0
  }

  /// So many slots are looked at in one go.
  private static let idleSlotCountMax: UInt32 = 256

  /// Whether bare slots from one on are worth a look: near the beginning they always are; further on only while the
  /// system says that the file takes more than what is in use or free, since a look at a large hole takes long.
  ///
  /// What it says may be too little, where a file was copied without the zeros of what is in use.
  private func mayHaveBlocks(from slot: UInt32) -> Bool {
    guard slot >= Self.idleSlotCountMax * 16, let byteCount = try? volume.file.allocatedByteCount() else {
      return true
    }
    return byteCount >= SlotSpace.byteCount(of: space.end - space.bareCount + 1)
  }

  /// Frees those of bare slots that the disk has blocks for, half by half down to single ones; how many there are.
  private mutating func giveBlocks(toPartsOf run: Range<UInt32>) throws(SedimentError) -> UInt32 {
    if try hasGiven(run) { return UInt32(run.count) }
    if run.count == 1 { return 0 }
    let middle = run.lowerBound + UInt32(run.count / 2)
    return try giveBlocks(toPartsOf: run.lowerBound..<middle) + giveBlocks(toPartsOf: middle..<run.upperBound)
  }

  /// Whether the disk has blocks for bare slots, all of which are free then.
  private mutating func hasGiven(_ run: Range<UInt32>) throws(SedimentError) -> Bool {
    do throws(SedimentError) {
      try volume.file.allocate(SlotSpace.byteRange(of: run))
    } catch {
      guard error.code == .outOfSpace else { throw error }
      return false
    }
    space.noteBlocks(in: run)
    return true
  }

  /// Lets the file grow by slots that have blocks and addresses, up to its cap.
  mutating func extend(by count: UInt32) throws(SedimentError) {
    guard count <= slotCountLeft else {
      throw .capReached(volume.file.path, SlotSpace.byteCount(of: slotCountMax))
    }
    let bytes = SlotSpace.byteRange(of: space.end..<space.end + count)
    try volume.file.allocate(bytes)
    try volume.map(upTo: bytes.upperBound)
    noteExtended(by: count)
  }
}
