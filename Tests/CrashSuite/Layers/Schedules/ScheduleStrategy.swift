import Sediment
import SedimentTesting

/// How it is decided who goes on at a point; threads are numbers, and sets of them bits.
enum ScheduleStrategy {
  /// Now and then another one, chosen at random: once in so many points.
  case random(oneIn: Int)
  /// Whoever has the highest priority; at some points he who goes on gets the lowest.
  case priorities([Int], changes: [Place], lowest: Int)
  /// The same, with one more such point in each job of a thread.
  case stops([Int], changes: [Place], lowest: Int)
  /// Whoever goes on does so until he cannot, but for these points, at which another one goes on.
  case preemptions([Preemption])

  /// The point of a number, among all or among those of one kind that one thread reaches, in all or since its job began.
  struct Place: Hashable {
    var kind: SchedulePoint?
    var thread = 0
    var number: Int
    var isOfJob = false

    fileprivate func matches(_ moment: Moment) -> Bool {
      guard let kind else { return number == moment.step }
      return kind == moment.kind && thread == moment.thread
        && number == (isOfJob ? moment.numberInJob : moment.number)
    }
  }

  /// A point at which somebody is.
  struct Moment {
    var step: Int
    var thread: Int
    var kind: SchedulePoint
    /// How many of its kind the thread has reached, in all and since its job began.
    var number: Int
    var numberInJob: Int
  }

  struct Preemption: Hashable {
    var step: Int
    /// How many of those who can go on are passed over.
    var skipCount: Int
  }

  /// One of the strategies that leave something to chance.
  static func drawn(threadCount: Int, using generator: inout SeededGenerator) -> ScheduleStrategy {
    if Int.random(in: 0..<3, using: &generator) == 0 {
      return .random(oneIn: 1 << Int.random(in: 1...7, using: &generator))
    }
    var priorities = (1...threadCount).map { $0 }.shuffled(using: &generator)
    let depth = Int.random(in: 1...4, using: &generator)
    var changes = (1..<depth).map { _ in place(threadCount: threadCount, using: &generator) }
    if Bool.random(using: &generator) {
      // Threads come to a point of their own early, and go on when nobody else can: one or two, or each in each job.
      if Bool.random(using: &generator) {
        return .stops(priorities, changes: Array(changes.prefix(1)), lowest: 0)
      }
      let stops = (0...Int.random(in: 0...1, using: &generator)).map { _ in
        stop(
          ofThread: Int.random(in: 0..<threadCount, using: &generator),
          isOfJob: Bool.random(using: &generator),
          using: &generator)
      }
      for (number, stop) in stops.enumerated() where Bool.random(using: &generator) {
        priorities[stop.thread] = threadCount + 2 - number
      }
      changes = changes.prefix(Int.random(in: 0...1, using: &generator)) + stops
    }
    return .priorities(priorities, changes: changes, lowest: 0)
  }

  /// A thread begins with a job, of which some strategies choose a point.
  mutating func beginJob(of thread: Int, using generator: inout SeededGenerator) {
    guard case .stops(let priorities, var changes, let lowest) = self else { return }
    changes.removeAll { $0.isOfJob && $0.thread == thread }
    changes.append(Self.stop(ofThread: thread, isOfJob: true, using: &generator))
    self = .stops(priorities, changes: changes, lowest: lowest)
  }

  private static let kindsOfStops: [SchedulePoint] = [
    .locking, .locking, .unlocked, .readerLeft, .reading, .published, .published, .disk, .handedOver,
  ]

  /// A point that one thread reaches early.
  private static func stop(
    ofThread thread: Int, isOfJob: Bool, using generator: inout SeededGenerator
  ) -> Place {
    let countMax = 1 << Int.random(in: 0...(isOfJob ? 4 : 5), using: &generator)
    return Place(
      kind: kindsOfStops[Int.random(in: 0..<kindsOfStops.count, using: &generator)], thread: thread,
      number: Int.random(in: 1...countMax, using: &generator), isOfJob: isOfJob)
  }

  /// Any point, or one of a thread.
  private static func place(threadCount: Int, using generator: inout SeededGenerator) -> Place {
    if Bool.random(using: &generator) {
      return stop(
        ofThread: Int.random(in: 0..<threadCount, using: &generator), isOfJob: false, using: &generator)
    }
    let countMax = 1 << Int.random(in: 6...12, using: &generator)
    return Place(number: Int.random(in: 1...countMax, using: &generator))
  }

  /// Who goes on of those who can; `current` is he who did, nil if he cannot.
  mutating func next(
    at moment: Moment, current: Int?, ready: UInt64, using generator: inout SeededGenerator
  ) -> Int {
    switch self {
    case .random(let count):
      if let current, generator.next() % UInt64(count) != 0 { return current }
      return ready.bit(Int(generator.next() % UInt64(ready.nonzeroBitCount)))
    case .priorities(var priorities, let changes, let lowest),
      .stops(var priorities, let changes, let lowest):
      if let current, changes.contains(where: { $0.matches(moment) }) {
        priorities[current] = lowest - 1
        if case .stops = self {
          self = .stops(priorities, changes: changes, lowest: lowest - 1)
        } else {
          self = .priorities(priorities, changes: changes, lowest: lowest - 1)
        }
      }
      var rest = ready
      var next = ready.trailingZeroBitCount
      while rest != 0 {
        let other = rest.trailingZeroBitCount
        if priorities[other] > priorities[next] { next = other }
        rest &= rest - 1
      }
      return next
    case .preemptions(let preemptions):
      // Those behind the last one come first, in their order.
      let last = moment.thread
      let above = ready & (~0 << UInt64(last + 1))
      let below = ready & (1 << UInt64(last) - 1)
      if let preemption = preemptions.first(where: { $0.step == moment.step }) {
        let place = preemption.skipCount - above.nonzeroBitCount
        if place < 0 { return above.bit(preemption.skipCount) }
        if place < below.nonzeroBitCount { return below.bit(place) }
      }
      if let current { return current }
      return above != 0 ? above.bit(0) : below != 0 ? below.bit(0) : last
    }
  }

  var description: String {
    switch self {
    case .random(let count): "at random, once in \(count) points"
    case .priorities(_, let changes, _): "priorities changed \(changes.count) times"
    case .stops: "a thread stops in each of its jobs"
    case .preemptions(let preemptions):
      "preempted at \(preemptions.map { "\($0.step)" }.joined(separator: ", "))"
    }
  }
}

extension UInt64 {
  /// The number of the bit that is set with so many below it.
  fileprivate func bit(_ place: Int) -> Int {
    var rest = self
    for _ in 0..<place { rest &= rest - 1 }
    return rest.trailingZeroBitCount
  }
}
