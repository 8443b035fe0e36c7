internal import Synchronization

/// For which values it is tried whether they can be compressed: the more in a row could not, the fewer.
///
/// Values of similar lengths are judged together, since those of one kind mostly have one. Any number of threads may
/// use it; that they disturb one another makes it a little less exact.
@safe
struct TrialPolicy {
  /// For each length, how often it failed lately in the upper half, and in the lower one how many values are passed
  /// over before the next trial.
  private let classes: UnsafeMutablePointer<Atomic<UInt32>>
  private let count: Int

  /// So many failures in a row change nothing.
  private static let patience: UInt32 = 4
  /// After this many doublings of the values passed over, one in 1,024 is tried.
  private static let doublingCountMax: UInt32 = 10

  /// The policy whose states lie there, of which each begins as 0.
  @inline(__always)
  init(classes: UnsafeMutablePointer<Atomic<UInt32>>, count: Int) {
    unsafe self.classes = classes
    self.count = count
  }

  /// Lengths up to 15, up to 31 and so on.
  @inline(__always)
  private func state(_ byteCount: Int) -> UnsafeMutablePointer<Atomic<UInt32>> {
    let bits = Int.bitWidth - byteCount.leadingZeroBitCount
    return unsafe classes + min(max(bits - 4, 0), count - 1)
  }

  /// Whether a value of so many bytes is to be tried.
  @inline(__always)
  func wantsTrial(of byteCount: Int) -> Bool {
    let state = unsafe state(byteCount)
    let now = unsafe state.pointee.load(ordering: .relaxed)
    if now & 0xffff == 0 { return true }
    unsafe state.pointee.store(now - 1, ordering: .relaxed)
    return false
  }

  /// Notes how a trial went.
  func note(_ byteCount: Int, isCompressible: Bool) {
    let state = unsafe state(byteCount)
    let now = unsafe state.pointee.load(ordering: .relaxed)
    if isCompressible {
      if now != 0 { unsafe state.pointee.store(0, ordering: .relaxed) }
      return
    }
    let failures = min((now >> 16) + 1, Self.patience + Self.doublingCountMax)
    let passedOver = failures < Self.patience ? 0 : (1 as UInt32) << (failures - Self.patience) - 1
    unsafe state.pointee.store(failures << 16 | passedOver, ordering: .relaxed)
  }

  /// Lets everything be tried again, because there is a new way to compress it.
  func reset() {
    for number in 0..<count { unsafe classes[number].store(0, ordering: .relaxed) }
  }
}
