internal import SedimentFormat

/// Counts the slots of a file that an opening deals with.
///
/// Anybody can lengthen a file at no cost, and a catalogue can say that the file has any number of slots. So the slots
/// after the last one that the catalogue names a use of count only as far as the file has bytes on the disk: memory and
/// reserve then follow the bytes on the disk, not the length of the file. Slots that are left out are as good as beyond
/// the end of the file: the file grows into them again.
struct KnownSlots {
  private let file: StoreFile
  /// The slots up to the end of the last one that has a use.
  private let usedEnd: UInt32
  /// The slots that the length of the file has room for.
  let wholeCount: UInt32

  init(of file: StoreFile, byteCount: UInt64, _ catalogue: Catalogue) {
    self.file = file
    usedEnd = catalogue.slots.end
    let slotCount = byteCount >> UInt64(Limits.slotByteCountLog2)
    wholeCount = UInt32(min(slotCount, UInt64(Limits.fileSlotCountMax)))
  }

  /// The slots that count of a file that is said to have `claimed`, or of all that it has room for.
  func count(claimed: UInt32 = .max) throws(SedimentError) -> UInt32 {
    let end = min(wholeCount, claimed)
    guard end > usedEnd else { return min(usedEnd, wholeCount) }
    let allocated = try file.allocatedByteCount()
    let slotCount = UInt32(min(allocated >> UInt64(Limits.slotByteCountLog2), UInt64(end - usedEnd)))
    return usedEnd + slotCount
  }
}
