internal import Foundation
internal import Synchronization

/// Runs `body` with the numbers from 0 on in threads of their own, and returns what they returned, by number.
///
/// Starting a thread costs some 20 us: loops that are timed from outside take much longer. An error is thrown when all
/// have ended.
@discardableResult
package func inParallel<Value: Sendable>(
  threadCount: Int, _ body: @escaping @Sendable (Int) throws -> Value
) throws -> [Value] {
  let results = Results<Value>()
  let group = DispatchGroup()
  for number in 0..<threadCount {
    group.enter()
    Thread.detachNewThread {
      defer { group.leave() }
      results.keep(Result { try body(number) }, of: number)
    }
  }
  group.wait()
  return try results.inOrder()
}

/// Collects what threads return.
private final class Results<Value: Sendable>: Sendable {
  private let results = Mutex<[Int: Result<Value, any Error>]>([:])

  func keep(_ result: Result<Value, any Error>, of number: Int) {
    results.withLock { $0[number] = result }
  }

  func inOrder() throws -> [Value] {
    try results.withLock { results in
      try results.sorted { $0.key < $1.key }.map { try $0.value.get() }
    }
  }
}
