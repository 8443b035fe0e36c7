internal import SedimentDisk
internal import SedimentFormat

/// Slots for the segments that recovery begins: free ones wherever they lie, in a row if there are as many, and only
/// if there are none such by which the file grows.
struct FreshSlots {
  private let file: StoreFile
  /// Free runs in the file that were not tried yet.
  private var free: [Range<UInt32>]
  /// How many slots the file has with what was taken.
  private(set) var fileSlotCount: UInt32

  init(beside catalogue: Catalogue, in file: StoreFile, fileByteCount: UInt64) {
    self.file = file
    let slotCount = min(fileByteCount / UInt64(Limits.slotByteCount), UInt64(Limits.fileSlotCountMax))
    fileSlotCount = max(UInt32(truncatingIfNeeded: slotCount), catalogue.slots.end)
    free = catalogue.slots.freeRuns(before: fileSlotCount)
  }

  /// Takes so many slots, which then have blocks, or as many as there are in a row.
  ///
  /// On a full disk it fails with `outOfSpace`, and the file is as it was but perhaps longer.
  mutating func take(upTo count: UInt32) throws(SedimentError) -> SlotRun {
    while let run = nextFree(count) {
      do throws(SedimentError) {
        try file.allocate(run.byteRange)
        return run
      } catch {
        guard error.code == .outOfSpace else { throw error }
        // A part of it may have blocks: the writer saw to it that some slots do.
        let middle = run.first + run.count / 2
        if run.count > 1 { free += [run.first..<middle, middle..<run.end] }
      }
    }
    guard let run = SlotRun(first: fileSlotCount, count: count) else {
      throw .exhausted("slots", path: file.path)
    }
    try file.allocate(run.byteRange)
    fileSlotCount = run.end
    return run
  }

  /// Takes the free run out that is to be tried next: the first that is long enough, or else the longest.
  private mutating func nextFree(_ count: UInt32) -> SlotRun? {
    let whole = free.firstIndex { $0.count >= count }
    guard let place = whole ?? free.indices.max(by: { free[$0].count < free[$1].count }) else { return nil }
    let run = free.remove(at: place)
    let end = run.lowerBound + min(count, UInt32(run.count))
    if end < run.upperBound { free.insert(end..<run.upperBound, at: place) }
    return SlotRun(first: run.lowerBound, count: end - run.lowerBound)
  }
}
