import Foundation

/// Jobs side by side, each on a thread of its own.
enum SuiteThreads {
  /// Runs all of them, and returns once they have ended.
  static func run(_ jobs: [@Sendable () -> Void]) {
    let group = DispatchGroup()
    for job in jobs {
      group.enter()
      Thread {
        job()
        group.leave()
      }.start()
    }
    group.wait()
  }
}
