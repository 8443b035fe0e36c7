import Foundation
import Synchronization

/// Holds how long calls take against what they may take, and ends a process in which one does not return.
final class Watch: @unchecked Sendable {
  private struct Call {
    var name: String
    var began: Double
    var limit: Double
  }

  // Sendable: what changes lies under the lock.
  private let calls = Mutex<[Int: Call]>([:])
  private let findings: Findings
  /// How much later than meant the watching thread woke at most since a moment, by that moment.
  private let delays = Mutex<[(at: Double, delay: Double)]>([])

  static let usualSeconds = 5.0
  /// A call of many times its limit is taken for one that never returns.
  private static let hangFactor = 4.0

  init(_ findings: Findings) { self.findings = findings }

  /// Begins to look after calls.
  func begin() {
    let thread = Thread { [self] in
      while true {
        let before = Clock.seconds
        usleep(200_000)
        let delay = Clock.seconds - before - 0.2
        delays.withLock { delays in
          delays.append((before, delay))
          if delays.count > 600 { delays.removeFirst(300) }
        }
        look()
      }
    }
    thread.start()
  }

  /// Makes a call, and notes it if it takes longer than it may; `byteCount` is what it may have to move.
  func timed<Result>(
    _ name: String, thread: Int, byteCount: Int = 0, seconds: Double = Watch.usualSeconds,
    _ body: () throws -> Result
  ) rethrows -> Result {
    let call = Call(name: name, began: Clock.seconds, limit: seconds + Double(byteCount) / 20e6)
    let outer = calls.withLock { $0.updateValue(call, forKey: thread) }
    defer {
      calls.withLock { $0[thread] = outer }
      judge(call)
    }
    return try body()
  }

  private func judge(_ call: Call) {
    let took = Clock.seconds - call.began
    guard took > call.limit + delay(since: call.began) else { return }
    findings.add(.time, "\(call.name) took \(seconds(took)), of at most \(seconds(call.limit))")
  }

  /// How long the machine itself let a thread wait.
  private func delay(since began: Double) -> Double {
    delays.withLock { $0.reduce(0) { $1.at >= began - 1 ? $0 + 2 * max($1.delay, 0) : $0 } }
  }

  private func look() {
    let now = Clock.seconds
    let all = calls.withLock { $0 }
    guard
      let call = all.values.first(where: {
        now - $0.began > Self.hangFactor * ($0.limit + delay(since: $0.began))
      })
    else { return }
    let names = all.values.map { "\($0.name) for \(seconds(now - $0.began))" }.sorted()
    findings.add(
      .time,
      "\(call.name) has not returned after \(seconds(now - call.began)); under way: \(names.joined(separator: ", "))"
    )
    findings.tell("ended: \(findings.summary)")
    _exit(1)
  }

  private func seconds(_ number: Double) -> String { String(format: "%.1f s", number) }
}

/// Runs a closure on so many threads, and returns once all have ended.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
  let ended = DispatchSemaphore(value: 0)
  for number in 0..<count {
    let thread = Thread {
      body(number)
      ended.signal()
    }
    thread.stackSize = 8 << 20
    thread.start()
  }
  for _ in 0..<count { ended.wait() }
}
