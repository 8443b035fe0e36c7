internal import Synchronization

/// Jobs that are done one at a time, in the order they came, on a thread that is not the caller's.
///
/// A job has two parts: its work, which is this library's own, and its end, which calls the completion. An end that waits
/// for another job does that job's work itself, after that of the jobs before it, whose ends come later. An end that waits
/// for something else makes way: another thread goes on.
@usableFromInline
final class SerialQueue: Sendable {
  private typealias End = () -> Void

  private struct State {
    var jobs = Line<Unchecked<() -> End>>()
    /// Those of jobs whose work was done by an end that waited for a later one.
    var ends = Line<Unchecked<End>>()
    var isDraining = false
    /// Which of the threads that one after another go on is the present one.
    var drainNumber = 0

    /// The number of the thread that is to go on now that there is something to do; nil if one does already.
    mutating func beginDraining() -> Int? {
      if isDraining { return nil }
      isDraining = true
      return drainNumber
    }
  }

  private let state = Mutex(State())
  /// Held while work is taken and done.
  private let working = Mutex(())

  @usableFromInline init() {}

  /// A thread that goes on with the jobs.
  @usableFromInline
  final class Drain: Sendable {
    fileprivate let queue: SerialQueue
    fileprivate let number: Int

    fileprivate init(_ queue: SerialQueue, _ number: Int) {
      self.queue = queue
      self.number = number
    }
  }

  /// Runs a closure after those that came before.
  @usableFromInline
  func run(_ body: @escaping () -> Void) { append { body } }

  /// What some work makes, or the error it throws.
  func answer<Value>(_ work: @escaping () throws -> Value) -> StorageAnswer<Value> {
    .pending { completion in
      // The end of a job that waits for another one of the queue.
      if CallingThread.caller == .waits, CallingThread.drain?.queue === self {
        return completion(self.doNow(work))
      }
      self.append {
        let result = ShallowsResult { try work() }
        return { completion(result) }
      }
    }
  }

  private func doNow<Value>(_ work: () throws -> Value) -> ShallowsResult<Value> {
    let result = working.withLock { _ in
      while let job = state.withLock({ $0.jobs.takeFirst() }) {
        let end = Unchecked(job.value())
        start { $0.ends.append(end) }
      }
      return Unchecked(ShallowsResult { try work() })
    }
    return result.value
  }

  private func append(_ job: @escaping () -> End) {
    let job = Unchecked(job)
    start { $0.jobs.append(job) }
  }

  /// Adds something to do, and has a thread do it.
  private func start(_ add: (inout State) -> Void) {
    let number: Int? = state.withLock { state in
      add(&state)
      return state.beginDraining()
    }
    if let number { Workers.shared.run { self.drain(number) } }
  }

  private func drain(_ number: Int) {
    CallingThread.draining(Drain(self, number)) {
      while let end = nextEnd(number) { end() }
    }
  }

  private func nextEnd(_ number: Int) -> End? {
    let end: Unchecked<End?> = working.withLock { _ in
      let next: (end: Unchecked<End>?, job: Unchecked<() -> End>?) = state.withLock { state in
        guard state.drainNumber == number else { return (nil, nil) }
        if let end = state.ends.takeFirst() { return (end, nil) }
        let job = state.jobs.takeFirst()
        state.isDraining = job != nil
        return (nil, job)
      }
      return Unchecked(next.end?.value ?? next.job?.value())
    }
    return end.value
  }

  /// Lets another thread go on with the jobs, if this one does them; to be called before it sleeps.
  static func makeWay() {
    guard let drain = CallingThread.drain else { return }
    drain.queue.leave(drain.number)
  }

  private func leave(_ number: Int) {
    let next: Int? = state.withLock { state in
      // A thread leaves once: it may come to wait again, when another one goes on already.
      guard state.drainNumber == number else { return nil }
      state.drainNumber += 1
      state.isDraining = !state.ends.isEmpty || !state.jobs.isEmpty
      return state.isDraining ? state.drainNumber : nil
    }
    if let next { Workers.shared.run { self.drain(next) } }
  }
}

/// Elements in the order they came.
struct Line<Element> {
  private var elements: [Element?] = []
  private var start = 0

  var isEmpty: Bool { start == elements.count }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func takeFirst() -> Element? {
    guard start < elements.count else { return nil }
    let element = exchange(&elements[start], for: nil)
    start += 1
    // The places of those that were taken are given back once they are the most.
    if start * 2 > elements.count {
      elements.removeFirst(start)
      start = 0
    }
    return element
  }
}

extension Line: Sendable where Element: Sendable {}
