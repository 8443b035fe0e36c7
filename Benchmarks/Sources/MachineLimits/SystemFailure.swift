#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// A system call that did not do what the benchmark needs.
package struct SystemFailure: Error, CustomStringConvertible {
  package let call: String
  package let code: Int32

  /// Takes the code of the call that failed just now.
  package init(_ call: String, code: Int32 = errno) {
    self.call = call
    self.code = code
  }

  package var description: String {
    "\(call) failed: \(unsafe String(cString: strerror(code)))"
  }
}
