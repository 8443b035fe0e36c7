import Foundation

/// Which cases are being tried, so that a program that dies of one says which.
@safe
enum RunningCases {
  /// So many may run side by side.
  static let countMax = 16

  /// The case of each worker as text that ends with a zero, in memory that a signal handler may read.
  private nonisolated(unsafe) static let texts: UnsafeMutablePointer<CChar> = {
    let texts = UnsafeMutablePointer<CChar>.allocate(capacity: countMax * byteCount)
    unsafe texts.initialize(repeating: 0, count: countMax * byteCount)
    return unsafe texts
  }()

  private static let byteCount = 128

  /// Lets the program name its cases when it dies of a trap or a stray access.
  static func watch() {
    _ = unsafe texts
    for number in [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGSEGV] {
      _ = signal(number) { number in
        RunningCases.tell()
        _ = signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  /// Notes that a worker begins with a case.
  static func begin(_ layer: String, _ seed: UInt64, _ worker: Int) {
    let text = Array("died of \(layer):\(seed); again: Tests/run --case \(layer):\(seed)".utf8CString)
    put(text, worker)
  }

  /// Notes that a worker has done its case.
  static func end(_ worker: Int) {
    put([0], worker)
  }

  private static func put(_ text: [CChar], _ worker: Int) {
    let place = unsafe texts + worker * byteCount
    for (number, byte) in text.prefix(byteCount - 1).enumerated() { unsafe place[number] = byte }
    unsafe place[min(text.count, byteCount) - 1] = 0
  }

  /// Writes what runs to the standard error, by nothing that a signal handler must not do.
  private static func tell() {
    for worker in 0..<countMax {
      let text = unsafe texts + worker * byteCount
      let count = unsafe strlen(text)
      if count == 0 { continue }
      _ = unsafe write(STDERR_FILENO, text, count)
      var end: CChar = 10
      _ = unsafe write(STDERR_FILENO, &end, 1)
    }
  }
}
