import Dispatch
import Shallows
import Synchronization

/// Keeps what a completion was called with, and tells when nobody can call it any more.
final class CompletionWitness<Value>: @unchecked Sendable {
  private let results: ResultList<Value>
  private let isGone: DispatchSemaphore

  init(_ results: ResultList<Value>, _ isGone: DispatchSemaphore) {
    self.results = results
    self.isGone = isGone
  }

  deinit { isGone.signal() }

  func append(_ result: ShallowsResult<Value>) { results.append(result) }
}

/// Makes a call, waits until its completion has been let go by everybody, and returns what that was called with.
func results<Value>(of call: (@escaping (ShallowsResult<Value>) -> Void) -> Void) -> [ShallowsResult<Value>] {
  let results = ResultList<Value>()
  let isGone = DispatchSemaphore(value: 0)
  begin(call, CompletionWitness(results, isGone))
  isGone.wait()
  return results.all
}

/// Only the completion holds the witness from here on.
@inline(never)
private func begin<Value>(
  _ call: (@escaping (ShallowsResult<Value>) -> Void) -> Void, _ witness: consuming CompletionWitness<Value>
) {
  let witness = witness
  call { witness.append($0) }
}

/// Results in the order in which they came.
final class ResultList<Value>: @unchecked Sendable {
  private let lock = Mutex(())
  private var results: [ShallowsResult<Value>] = []
  private let arrivals = DispatchSemaphore(value: 0)

  var all: [ShallowsResult<Value>] { lock.withLock { _ in Handed(results) }.value }

  func append(_ result: ShallowsResult<Value>) {
    let result = Handed(result)
    lock.withLock { _ in results.append(result.value) }
    arrivals.signal()
  }

  /// Returns once one more has come.
  func waitForOne() { arrivals.wait() }
}

/// A number that threads count together.
final class Counter: Sendable {
  private let number = Atomic(0)

  var value: Int { number.load(ordering: .sequentiallyConsistent) }

  @discardableResult
  func add() -> Int { number.add(1, ordering: .sequentiallyConsistent).newValue }
}
