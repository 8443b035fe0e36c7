/// Whether a dictionary fits the values as it did at first, by some of them at a time.
struct CompressionDrift {
  /// What the first values took of a million bytes; nil before.
  private var first: UInt64?
  private var count = 0
  private var byteCount: UInt64 = 0
  private var storedByteCount: UInt64 = 0

  private static let windowCount = 1_000

  /// Takes a value; true once values take a quarter more than the first ones did, and then not before they change
  /// again.
  @inline(__always)
  mutating func isFound(_ byteCount: Int, _ storedByteCount: Int) -> Bool {
    count &+= 1
    self.byteCount &+= UInt64(byteCount)
    self.storedByteCount &+= UInt64(storedByteCount)
    return count >= Self.windowCount && isFoundInWindow()
  }

  @inline(never)
  private mutating func isFoundInWindow() -> Bool {
    let share = storedByteCount &* 1_000_000 / max(byteCount, 1)
    (count, byteCount, storedByteCount) = (0, 0, 0)
    guard let before = first else {
      first = share
      return false
    }
    if share <= before + before / 4 { return false }
    first = share
    return true
  }
}
