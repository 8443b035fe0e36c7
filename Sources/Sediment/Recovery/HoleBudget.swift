internal import SedimentFormat

/// How many bytes of large values may lie in holes of a file, where they cost it nothing.
///
/// A copy that left zeros out has values of zeros there. A forged file could have values without end.
struct HoleBudget {
  private let file: StoreFile
  private var byteCount: UInt64

  /// How many times the bytes that a file has on the disk.
  private static let factor: UInt64 = 16

  init(_ file: StoreFile) {
    self.file = file
    let allocated = (try? file.allocatedByteCount()) ?? 0
    let (budget, isTooMuch) = allocated.multipliedReportingOverflow(by: Self.factor)
    byteCount = isTooMuch ? .max : budget
  }

  /// Whether a piece of a large value may be read; what of it lies in holes is taken from the budget.
  mutating func admits(_ piece: ValuePlace.Piece) -> Bool {
    let data = file.dataByteCount(in: piece.extent.run.byteRange)
    let holes = piece.storedByteCount - min(piece.storedByteCount, data)
    guard holes <= byteCount else { return false }
    byteCount -= holes
    return true
  }
}
