internal import BenchmarkHarness
internal import CBench
internal import Foundation

/// The processors that this process runs on.
package enum Processors {
  /// Lets all threads of this process share one processor while the closure runs, and then have what they had.
  ///
  /// New threads have what the thread has that makes them. It throws ``Unsupported`` where the system does not bind.
  package static func onOne<Value>(_ body: () throws -> Value) throws -> Value {
    guard bench_bind_thread(0, 1) == 0 else {
      throw Unsupported("threads cannot be bound to a processor here")
    }
    bindOthers(to: 1)
    defer {
      _ = bench_bind_thread(0, 0)
      bindOthers(to: 0)
    }
    return try body()
  }

  /// How many processors the calling thread may use.
  package static var count: Int { Int(bench_processor_count()) }

  /// Binds the threads that other code keeps from earlier; those that end meanwhile are of no interest.
  private static func bindOthers(to count: Int32) {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    for thread in threads.compactMap({ Int32($0) }) { _ = bench_bind_thread(thread, count) }
  }
}
