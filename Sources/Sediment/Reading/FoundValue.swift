/// A value that was found: bytes in the mapped file or in memory of its own, until the reading ends.
@usableFromInline
@safe struct FoundValue {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  private let owner: UnsafeMutableRawPointer?
  /// Whether that is the thread's codec's.
  private let isLent: Bool

  @inline(__always)
  init(_ bytes: UnsafeRawBufferPointer, owner: UnsafeMutableRawPointer?, isLent: Bool = false) {
    unsafe self.bytes = unsafe bytes
    unsafe self.owner = unsafe owner
    self.isLent = isLent
  }

  /// Gives back the memory that it has.
  @inline(__always)
  func release() {
    if unsafe owner != nil { giveBack() }
  }

  @inline(never)
  private func giveBack() {
    guard let owner = unsafe owner else { return }
    if isLent {
      ZstdCodec.withCurrent { $0?.takeBack() }
    } else {
      unsafe owner.deallocate()
    }
  }
}
