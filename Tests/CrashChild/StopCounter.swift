import CrashModel
import SedimentDisk
import Synchronization

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Counts what is of the kind that the process is to end at.
final class StopCounter: Sendable {
  private let stop: KillSetup.Stop
  private let count = Atomic(0)

  init(_ stop: KillSetup.Stop) {
    self.stop = stop
  }

  /// Makes a call, unless the process ends before it, or behind it.
  func pass<Result>(
    _ operation: DiskOperation, _ call: () throws(DiskError) -> Result
  ) throws(DiskError) -> Result {
    let isLast = begin(.call(operation))
    defer { end(isLast) }
    return try call()
  }

  /// Counts what is about to be done; whether it is the last thing that the process does.
  func begin(_ kind: KillSetup.Stop.Kind) -> Bool {
    guard kind == stop.kind, count.add(1, ordering: .relaxed).oldValue == stop.count else { return false }
    if stop.moment == .before { die() }
    return true
  }

  /// How many of so many bytes get to the file.
  func byteCount(of byteCount: Int, _ isLast: Bool) -> Int {
    isLast ? stop.byteCount(of: byteCount) : byteCount
  }

  /// Ends the process if that was the last thing that it does.
  func end(_ isLast: Bool) {
    if isLast { die() }
  }

  private func die() -> Never {
    CrashChild.report(thread: CrashProcess.Report.stopping, 0)
    kill(getpid(), SIGKILL)
    // The signal ends the process before this returns.
    while true { pause() }
  }
}
