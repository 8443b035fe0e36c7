import Dispatch
import Shallows
import Synchronization

/// What a probe fails with.
struct ProbeError: Error, Hashable {
  var name = "probe"
}

/// A storage as its users write them, with both calls and removing, which counts its calls and completes as told.
final class StorageProbe: StorageProtocol, @unchecked Sendable {
  enum Call: Hashable { case retrieve, set, remove, removeAll }

  /// Where a completion is called.
  enum Delivery: CaseIterable { case inline, elsewhere, held }

  private struct State {
    var values: [String: Int] = [:]
    var counts: [Call: Int] = [:]
    var failures: [Call: any Error] = [:]
    var held: [@Sendable () -> Void] = []
    var holds: Set<Call> = []
  }

  let storageName: String
  private let delivery: Delivery
  private let completionCount: Int
  private let queue = DispatchQueue(label: "probe", attributes: .concurrent)
  private let state: Mutex<State>
  private let arrivals = DispatchSemaphore(value: 0)

  init(
    _ values: [String: Int] = [:], name: String = "probe", delivery: Delivery = .inline,
    completionCount: Int = 1, failing: [Call: any Error] = [:]
  ) {
    storageName = name
    self.delivery = delivery
    self.completionCount = completionCount
    state = Mutex(State(values: values, failures: failing))
  }

  var values: [String: Int] { state.withLock { $0.values } }

  func set(_ values: [String: Int]) { state.withLock { $0.values = values } }

  func count(_ call: Call) -> Int { state.withLock { $0.counts[call] ?? 0 } }

  func fail(_ call: Call, with error: (any Error)?) { state.withLock { $0.failures[call] = error } }

  /// From now on these calls do their work at once, and complete when they are released.
  func hold(_ calls: Set<Call>) { state.withLock { $0.holds = calls } }

  /// Returns once a call is held.
  func waitForHeldCall() { arrivals.wait() }

  /// Lets go what is held by now.
  func release() {
    let held = state.withLock { state in
      defer { state.held = [] }
      return state.held
    }
    for completion in held { completion() }
  }

  func retrieve(forKey key: String, completion: @escaping (ShallowsResult<Int>) -> Void) {
    finish(.retrieve, completion) { values in try values[key].unwrap(orThrow: StorageError.noValue) }
  }

  func set(_ value: Int, forKey key: String, completion: @escaping (ShallowsResult<Void>) -> Void) {
    finish(.set, completion) { $0[key] = value }
  }

  func remove(forKey key: String, completion: @escaping (ShallowsResult<Void>) -> Void) {
    finish(.remove, completion) { $0[key] = nil }
  }

  func removeAll(completion: @escaping (ShallowsResult<Void>) -> Void) {
    finish(.removeAll, completion) { $0 = [:] }
  }

  private func finish<Value: Sendable>(
    _ call: Call, _ completion: @escaping (ShallowsResult<Value>) -> Void,
    _ body: (inout [String: Int]) throws -> Value
  ) {
    let (result, isHeld) = state.withLock { state in
      state.counts[call, default: 0] += 1
      let result = ShallowsResult<Value> {
        if let error = state.failures[call] { throw error }
        return try body(&state.values)
      }
      return (result, state.holds.contains(call))
    }
    deliver(result, isHeld: isHeld, Handed(completion))
  }

  private func deliver<Value: Sendable>(
    _ result: ShallowsResult<Value>, isHeld: Bool,
    _ completion: Handed<(ShallowsResult<Value>) -> Void>
  ) {
    let complete: @Sendable () -> Void = { [completionCount] in
      for _ in 0..<completionCount { completion.value(result) }
    }
    switch delivery {
    case .inline where !isHeld: complete()
    case .elsewhere where !isHeld: queue.async(execute: complete)
    default:
      state.withLock { $0.held.append(complete) }
      arrivals.signal()
    }
  }
}

/// What goes from one thread to another, which uses it alone then.
struct Handed<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
