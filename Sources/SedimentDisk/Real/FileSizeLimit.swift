internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// How large the process may let a file become (`RLIMIT_FSIZE`).
///
/// The system answers a call that goes beyond it with a signal, which ends a process that has not arranged for it. A
/// library must not arrange for signals of its host, so such calls are refused before they are made. The limit is asked
/// for when a file is opened, when it is to become longer, and by calls that it seems to forbid: a process that lowers it
/// under a file that is already longer is told by the system.
final class FileSizeLimit: Sendable {
  private let byteCount = Atomic<UInt64>(0)

  init() {
    refresh()
  }

  /// Whether the file may reach so far; `asksAnew` where it is to become longer.
  func allows(_ end: UInt64, asksAnew: Bool = false) -> Bool {
    if !asksAnew, end <= byteCount.load(ordering: .relaxed) { return true }
    refresh()
    return end <= byteCount.load(ordering: .relaxed)
  }

  private func refresh() {
    var limit = rlimit()
    #if canImport(Darwin) || canImport(Musl)
      let code = attempt { unsafe getrlimit(RLIMIT_FSIZE, &limit) }
    #else
      let code = attempt { unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) }
    #endif
    byteCount.store(code == nil ? UInt64(limit.rlim_cur) : .max, ordering: .relaxed)
  }
}

extension SystemFile {
  /// Refuses a length that the process may not give the file, unless it has it already.
  func checkSize(_ number: Int32, _ byteCount: UInt64) throws(SystemCallFailure) {
    if sizeLimit.allows(byteCount, asksAnew: true) { return }
    guard try byteCount <= UInt64(clamping: Self.status(number).st_size) else {
      throw SystemCallFailure(code: .fileTooLarge)
    }
  }
}
