internal import Dispatch
internal import Synchronization

/// Runs jobs one at a time, in the order they came, on a thread that is not the caller's.
///
/// A completion that runs as part of a job may wait for a later job, by a storage made synchronous: the thread that is
/// about to sleep makes way, and another one goes on with the jobs.
final class DiskQueue: Sendable {
  private struct State {
    var jobs = WaitingJobs()
    var lane: Lane
  }

  private let state = Mutex(State(lane: Lane(number: 0)))

  init() {
    state.withLock { $0.lane.belong(to: self) }
  }

  /// Puts a job behind those that are there.
  func run(_ job: @escaping () -> Void) {
    let job = Unchecked(job)
    let lane = state.withLock { state in
      state.jobs.append(job)
      return state.lane
    }
    runNext(in: lane)
  }

  /// What a job makes, or the error it throws.
  func answer<Value>(_ work: @escaping () throws -> Value) -> StorageAnswer<Value> {
    .pending { completion in self.run { completion(Result { try work() }) } }
  }

  /// Lets another thread go on with the jobs, if this one runs them; to be called before it sleeps.
  static func makeWay() {
    guard let place = DispatchQueue.getSpecific(key: LanePlace.key) else { return }
    place.queue.leave(place.number)
  }

  /// Runs the next job some time; in a lane that was left there is none, the lane after it has them all.
  private func runNext(in lane: Lane) {
    let number = lane.number
    lane.dispatch.async {
      let job = self.state.withLock { state in
        state.lane.number == number ? state.jobs.takeFirst() : nil
      }
      job?.value()
    }
  }

  private func leave(_ number: Int) {
    let (lane, count) = state.withLock { state in
      // A lane is left once: the thread may come to wait again, when others run the jobs already.
      guard state.lane.number == number else { return (state.lane, 0) }
      state.lane = Lane(number: number + 1)
      state.lane.belong(to: self)
      return (state.lane, state.jobs.count)
    }
    for _ in 0..<count { runNext(in: lane) }
  }
}

/// Where the jobs of a queue run, one after another, until one of them waits.
private struct Lane: Sendable {
  let number: Int
  let dispatch = DispatchQueue(label: "shallows-disk", qos: .userInitiated, autoreleaseFrequency: .workItem)

  init(number: Int) { self.number = number }

  func belong(to queue: DiskQueue) {
    dispatch.setSpecific(key: LanePlace.key, value: LanePlace(queue: queue, number: number))
  }
}

/// What a thread knows that runs a job; the queue outlives it, since every job keeps it.
private struct LanePlace: Sendable {
  static let key = DispatchSpecificKey<LanePlace>()

  unowned let queue: DiskQueue
  let number: Int
}

/// Jobs in the order they came.
private struct WaitingJobs {
  private var jobs: [Unchecked<() -> Void>?] = []
  private var start = 0

  var count: Int { jobs.count - start }

  mutating func append(_ job: Unchecked<() -> Void>) { jobs.append(job) }

  mutating func takeFirst() -> Unchecked<() -> Void>? {
    guard start < jobs.count else { return nil }
    let job = exchange(&jobs[start], for: nil)
    start += 1
    // The places of jobs that were taken are given back once they are the most.
    if start * 2 > jobs.count {
      jobs.removeFirst(start)
      start = 0
    }
    return job
  }
}
