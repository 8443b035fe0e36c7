#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
extension SystemErrorCode {
  /// What the latest failed call on this thread left; to be read before anything else is called.
  static var latest: SystemErrorCode { SystemErrorCode(rawValue: errno) }
}

/// Why a call of the system failed, before it is known as which one.
struct SystemCallFailure: Error {
  let code: SystemErrorCode
}

/// Makes a call and returns why it failed, or nil.
func attempt(_ call: () -> Int32) -> SystemErrorCode? {
  call() == 0 ? nil : .latest
}

/// Makes a call again for as long as signals interrupt it, and returns why it failed, or nil.
///
/// Only for calls that did nothing when they were interrupted, or that may be made twice.
func attemptUninterrupted(_ call: () -> Int32) -> SystemErrorCode? {
  while true {
    guard let code = attempt(call) else { return nil }
    if code != .interrupted { return code }
  }
}

/// Makes a call as `attemptUninterrupted` does, and throws why it failed.
func callUninterrupted(_ call: () -> Int32) throws(SystemCallFailure) {
  if let code = attemptUninterrupted(call) { throw SystemCallFailure(code: code) }
}

/// Closes a descriptor; here, where no method of that name hides the system's.
func systemClose(_ number: Int32) -> SystemErrorCode? {
  attempt { close(number) }
}

/// Renames a file, replacing what is there.
func systemRename(_ path: String, _ destination: String) -> SystemErrorCode? {
  attempt { unsafe rename(path, destination) }
}

/// A range of a file as the system's signed numbers.
struct SystemRange {
  let start: Int64
  let count: Int64

  /// Throws "invalid argument" where the range ends beyond what the system can count.
  init(_ range: Range<UInt64>) throws(SystemCallFailure) {
    guard range.upperBound <= UInt64(Int64.max) else { throw SystemCallFailure(code: .invalidArgument) }
    start = Int64(range.lowerBound)
    count = Int64(range.upperBound - range.lowerBound)
  }
}
