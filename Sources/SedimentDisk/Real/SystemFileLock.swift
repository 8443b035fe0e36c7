internal import CSediment

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
// Locks of the open file description: two openings exclude each other in one process as in two, and closing
// some other descriptor of the same file releases nothing.
extension SystemFile {
  func lock(_ range: Range<UInt64>, _ mode: LockMode) throws(DiskError) -> Bool {
    let kind =
      switch mode {
      case .shared: F_RDLCK
      case .exclusive: F_WRLCK
      }
    let code = try setLock(range, Int32(kind))
    guard let code else { return true }
    guard code == .accessDenied || code.rawValue == EAGAIN else {
      throw failure(.lock, at: range.lowerBound, code)
    }
    return false
  }

  func unlock(_ range: Range<UInt64>) throws(DiskError) {
    if let code = try setLock(range, Int32(F_UNLCK)) { throw failure(.lock, at: range.lowerBound, code) }
  }

  /// Releases all locks of an open file.
  ///
  /// Clearing all there are cannot fail; on a file system without locks it does, and there are none.
  static func unlockEverything(_ number: Int32) {
    _ = attemptUninterrupted { sediment_lock(number, Int32(F_UNLCK), 0, 0) }
  }

  /// Sets or clears a lock; an empty range is nothing, where the system would take it for all that follows.
  private func setLock(_ range: Range<UInt64>, _ kind: Int32) throws(DiskError) -> SystemErrorCode? {
    let number = try borrow(for: .lock, at: range.lowerBound)
    defer { descriptor.giveBack() }
    guard let bytes = SystemRange(range) else { throw failure(.lock, at: range.lowerBound, .invalidArgument) }
    if bytes.count == 0 { return nil }
    return attemptUninterrupted { sediment_lock(number, kind, bytes.start, bytes.count) }
  }
}
