import Sediment
import SedimentSupport
import SedimentTesting
import Testing

@Suite struct WorkPoolManualTests {
  private let scheduler = ManualScheduler()
  private let order = Order()

  private func work(_ number: Int) -> Work {
    Work { [order] in order.note(number) }
  }

  @Test func `Nothing runs by itself`() {
    scheduler.schedule(work(1), after: 0)
    scheduler.schedule(work(2), after: 10)
    #expect(order.numbers == [])
    #expect(scheduler.pendingCount == 2)
    #expect(scheduler.nanosecondsToFirst == 0)
  }

  @Test func `Jobs run in the order of their times, and of one time as they came`() {
    for (number, delay) in [(1, 20), (2, 10), (3, 0), (4, 20), (5, 10), (6, 0)] {
      scheduler.schedule(work(number), after: UInt64(delay))
    }
    #expect(scheduler.runDue() == 2)
    #expect(order.numbers == [3, 6])
    #expect(scheduler.nanosecondsToFirst == 10)
    #expect(scheduler.advance(by: 9) == 0)
    #expect(scheduler.advance(by: 1) == 2)
    #expect(order.numbers == [3, 6, 2, 5])
    #expect(scheduler.advance(by: 1000) == 2)
    #expect(order.numbers == [3, 6, 2, 5, 1, 4])
    #expect(scheduler.now == 1010)
    #expect(scheduler.pendingCount == 0)
  }

  @Test func `A job that waits keeps the earlier time`() {
    let first = work(1)
    let second = work(2)
    scheduler.schedule(first, after: 10)
    scheduler.schedule(first, after: 20)
    scheduler.schedule(second, after: 20)
    scheduler.schedule(second, after: 5)
    #expect(scheduler.pendingCount == 2)
    #expect(scheduler.advance(by: 5) == 1)
    #expect(scheduler.advance(by: 5) == 1)
    #expect(order.numbers == [2, 1])
    #expect(scheduler.advance(by: 100) == 0)
  }

  @Test func `The clock stands still at its end, however long it is to run`() {
    scheduler.advance(by: .max)
    scheduler.schedule(work(1), after: .max)
    #expect(scheduler.advance(by: .max) == 1)
    #expect(scheduler.now == .max)
    let background = ManualBackground()
    let longest = [.seconds(Int64.max), .seconds(18_446_744_073) + .nanoseconds(999_999_999)] as [Duration]
    for duration in longest + longest + [.seconds(-1)] { background.advance(by: duration) }
  }

  @Test func `The clock stands at a job's time while it runs`() {
    let times = Order()
    let scheduler = scheduler
    let works = (0..<3).map { _ in Work { times.note(Int(scheduler.now)) } }
    for (number, work) in works.enumerated() { scheduler.schedule(work, after: UInt64(10 * number + 5)) }
    scheduler.advance(by: 100)
    #expect(times.numbers == [5, 15, 25])
    #expect(scheduler.now == 100)
  }

  @Test func `What a job schedules for now runs with the next call, and its own delay counts from its run`() {
    let scheduler = scheduler
    let order = order
    let next = work(2)
    let repeated = Repeated(scheduler: scheduler, every: 10) { order.note(Int(scheduler.now)) }
    let first = Work {
      order.note(1)
      scheduler.schedule(next, after: 0)
    }
    scheduler.schedule(first, after: 0)
    #expect(scheduler.runDue() == 1)
    #expect(scheduler.runDue() == 1)
    #expect(order.numbers == [1, 2])
    scheduler.schedule(repeated.work, after: 10)
    #expect(scheduler.advance(by: 35) == 3)
    #expect(order.numbers == [1, 2, 10, 20, 30])
    repeated.work.cancelAndWait()
    #expect(scheduler.advance(by: 100) == 0)
  }

  @Test func `A cancelled job is gone from the queue`() {
    let works = (1...3).map { work($0) }
    for work in works { scheduler.schedule(work, after: 10) }
    works[1].cancelAndWait()
    #expect(scheduler.pendingCount == 2)
    scheduler.advance(by: 10)
    #expect(order.numbers == [1, 3])
  }

  @Test func `A job may cancel the one that is due after it`() {
    let second = work(2)
    scheduler.schedule(Work { second.cancelAndWait() }, after: 0)
    scheduler.schedule(second, after: 0)
    #expect(scheduler.runDue() == 1)
    #expect(order.numbers == [])
  }

  @Test func `A scheduler that goes away lets its jobs go`() {
    let kept = work(1)
    do {
      let scheduler = ManualScheduler()
      scheduler.schedule(kept, after: 10)
    }
    kept.cancelAndWait()
    #expect(order.numbers == [])
  }

  /// What the queue should do, as a list that is searched for the least.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `The queue does what a plain list would do, over random schedules and cancellations`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var model: [(time: UInt64, turn: Int, number: Int)] = []
    var expected: [Int] = []
    var works: [Int: Work] = [:]
    var turn = 0
    for _ in 0..<4000 {
      let number = Int(random.next() % 60)
      switch random.next() % 8 {
      case 0:
        works.removeValue(forKey: number)?.cancelAndWait()
        model.removeAll { $0.number == number }
      case 1:
        let span = random.next() % 40
        let end = scheduler.now + span
        for due in model.filter({ $0.time <= end }).sorted(by: { ($0.time, $0.turn) < ($1.time, $1.turn) }) {
          expected.append(due.number)
        }
        model.removeAll { $0.time <= end }
        scheduler.advance(by: span)
      default:
        let work = works[number] ?? work(number)
        works[number] = work
        let delay = random.next() % 100
        let time = scheduler.now + delay
        scheduler.schedule(work, after: delay)
        if let place = model.firstIndex(where: { $0.number == number }) {
          if time < model[place].time { model[place] = (time, turn, number) }
        } else {
          model.append((time, turn, number))
        }
        turn += 1
      }
      #expect(scheduler.pendingCount == model.count)
    }
    #expect(order.numbers == expected)
  }
}

/// A job that schedules itself again each time.
private final class Repeated: @unchecked Sendable {
  // Sendable: the variable is set once, before the job is scheduled.
  private(set) var work = Work {}

  init(scheduler: ManualScheduler, every nanoseconds: UInt64, _ body: @escaping @Sendable () -> Void) {
    work = Work { [weak self] in
      body()
      if let self { scheduler.schedule(work, after: nanoseconds) }
    }
  }
}
