internal import SedimentDisk
internal import SedimentFormat

/// Slots for the segment that recovery begins: free ones of the file if there are enough in a row, else new ones.
struct FreshSlots {
  let run: SlotRun
  /// How many slots the file has with them.
  let fileSlotCount: UInt32

  /// What the segment has room for behind its checkpoint and seal.
  private static let spareByteCount = 4096

  /// Reserves slots for a whole checkpoint, in the free runs of the file one after the other, last at its end.
  ///
  /// On a full disk it fails with `outOfSpace`, and the file is as it was but perhaps longer.
  static func take(
    for catalogue: Catalogue, in file: any DiskFile, fileByteCount: UInt64
  ) throws(SedimentError) -> FreshSlots {
    let byteCount =
      SegmentHeader.byteCount + CheckpointParts.recordByteCountMax(catalogue) + Seal.recordByteCount
      + spareByteCount
    let needed = (byteCount + Limits.slotByteCount - 1) / Limits.slotByteCount
    guard needed <= Int(Limits.segmentSlotCountMax) else { throw .exhausted("tables", path: file.path) }
    let slotCount = min(fileByteCount / UInt64(Limits.slotByteCount), UInt64(Limits.fileSlotCountMax))
    let fileEnd = max(UInt32(truncatingIfNeeded: slotCount), Limits.headSlotCount)
    var candidates = catalogue.slots.freeRuns(before: fileEnd).filter { $0.count >= needed }.map(\.lowerBound)
    if !candidates.contains(catalogue.slots.end) { candidates.append(catalogue.slots.end) }
    var failure = SedimentError.exhausted("slots", path: file.path)
    for first in candidates {
      guard let run = SlotRun(first: first, count: UInt32(truncatingIfNeeded: needed)) else { continue }
      do throws(DiskError) {
        try file.allocate(run.byteRange)
        return FreshSlots(run: run, fileSlotCount: max(fileEnd, run.end))
      } catch {
        failure = SedimentError(error)
        guard failure.code == .outOfSpace else { throw failure }
      }
    }
    throw failure
  }
}
