import Foundation
import MemoryPressure
import Shallows
import Synchronization
import Testing

/// Who is told of memory pressure, and what a memory layer does about it.
@Suite struct MemoryPressureTests {
  private let source = FakeSource()
  private let told = Told()

  private func filled(_ capacity: LRUCapacity<Int, Int>) -> LRUStorage<Int, Int> {
    let storage = LRUStorage<Int, Int>(capacity: capacity)
    for key in 0..<100 { storage.insert(key, forKey: key) }
    return storage
  }

  @Test func `Under a warning half of the values go, and the rest when it is critical`() throws {
    let storage = filled(.count(100))
    storage.respond(to: .normal)
    #expect(storage.count == 100)
    storage.respond(to: .warning)
    #expect(storage.keysByLastUse == (50..<100).reversed())
    storage.respond(to: .warning)
    #expect(storage.keysByLastUse == (75..<100).reversed())
    storage.respond(to: .critical)
    #expect(storage.count == 0 && storage.statistics.evictions == 100)
    storage.respond(to: .warning)
    storage.insert(1, forKey: 1)
    storage.respond(to: .warning)
    #expect(storage.count == 0)
    try storage.checkInvariants()
  }

  @Test func `Half is half of the cost, where there is any`() {
    let storage = LRUStorage<Int, Int>(capacity: .cost(1_000) { $1 })
    for (key, cost) in [300, 100, 0, 350, 50].enumerated() { storage.insert(cost, forKey: key) }
    storage.respond(to: .warning)
    #expect(storage.keysByLastUse == [4, 3, 2] && storage.totalCost == 400)
    let free = filled(.cost(1_000) { _, _ in 0 })
    free.respond(to: .warning)
    #expect(free.count == 50)
  }

  @Test func `A storage that was asked to gives back memory by itself until it is asked not to`() {
    let monitor = MemoryPressureMonitor(source: source)
    let storage = filled(.count(100))
    #expect(!source.isRunning)
    storage.trimsUnderMemoryPressure(true, monitor: monitor)
    storage.trimsUnderMemoryPressure(true, monitor: monitor)
    #expect(source.isRunning && monitor.observationCount == 1)
    source.tell(.normal)
    #expect(storage.count == 100)
    source.tell(.warning)
    #expect(storage.count == 50)
    storage.trimsUnderMemoryPressure(false, monitor: monitor)
    #expect(!source.isRunning && monitor.observationCount == 0)
    source.tell(.critical)
    #expect(storage.count == 50)
    storage.trimsUnderMemoryPressure(true, monitor: monitor)
    source.tell(.critical)
    #expect(storage.count == 0)
  }

  @Test func `A monitor keeps no storage alive, and rests when none is left`() {
    let monitor = MemoryPressureMonitor(source: source)
    var first: LRUStorage<Int, Int>? = filled(.count(100))
    var second: LRUStorage<Int, Int>? = filled(.count(100))
    weak let weakly = first
    first?.trimsUnderMemoryPressure(true, monitor: monitor)
    second?.trimsUnderMemoryPressure(true, monitor: monitor)
    #expect(monitor.observationCount == 2)
    first = nil
    #expect(weakly == nil && monitor.observationCount == 1 && source.isRunning)
    source.tell(.warning)
    #expect(second?.count == 50)
    second = nil
    #expect(monitor.observationCount == 0 && !source.isRunning)
  }

  @Test func `Only those levels are told that were asked for, as long as the observation is held`() {
    let monitor = MemoryPressureMonitor(source: source)
    let told = told
    let all = monitor.observe(Set(MemoryPressureLevel.allCases)) { told.add("all \($0)") }
    var scarce: MemoryPressureObservation? = monitor.observe { told.add("scarce \($0)") }
    source.tell(.normal)
    source.tell(.critical)
    #expect(told.take() == ["all normal", "all critical", "scarce critical"])
    scarce?.cancel()
    scarce?.cancel()
    source.tell(.critical)
    #expect(told.take() == ["all critical"] && source.isRunning)
    scarce = nil
    all.cancel()
    source.tell(.critical)
    #expect(told.take().isEmpty && !source.isRunning)
  }

  @Test func `A handler may observe, cancel and let go of observations`() {
    final class Keeper: Sendable {
      let observation = Mutex<MemoryPressureObservation?>(nil)
    }
    let monitor = MemoryPressureMonitor(source: source)
    let told = told
    let keeper = Keeper()
    keeper.observation.withLock {
      $0 = monitor.observe { level in
        told.add("outer \(level)")
        monitor.observe { told.add("inner \($0)") }.cancel()
        // Its own.
        let own = keeper.observation.withLock { observation in
          defer { observation = nil }
          return observation
        }
        own?.cancel()
      }
    }
    source.tell(.warning)
    source.tell(.critical)
    #expect(told.take() == ["outer warning"])
    #expect(monitor.observationCount == 0 && !source.isRunning)
  }

  @Test func `Figures that are looked at tell news, and again what lasts`() {
    let system = FakeSystem()
    let clock = LRUClock()
    let source = PollingPressureSource(reader: system.reader, intervalMilliseconds: nil, clock: clock.read)
    let monitor = MemoryPressureMonitor(source: source)
    let told = told
    let observation = monitor.observe(Set(MemoryPressureLevel.allCases)) { told.add("\($0)") }
    func wait(_ share: String) {
      system.write("some avg10=\(share) avg60=0.00 avg300=0.00 total=1\n", to: "proc/pressure/memory")
      source.poll()
      clock.now += 1
    }
    source.poll()
    for share in ["0.00", "20.00", "30.00", "9.00", "0.00"] { wait(share) }
    #expect(told.take() == ["warning", "normal"])
    for _ in 0..<31 { wait("50.00") }
    #expect(told.take() == ["warning", "warning", "warning"])
    observation.cancel()
    wait("0.00")
    #expect(told.take().isEmpty)
  }

  @Test func `Figures are looked at again and again in the background, until nobody listens`() {
    let system = FakeSystem()
    let source = PollingPressureSource(reader: system.reader, intervalMilliseconds: 1)
    let monitor = MemoryPressureMonitor(source: source)
    let storage = filled(.count(100))
    let hasTold = DispatchSemaphore(value: 0)
    storage.trimsUnderMemoryPressure(true, monitor: monitor)
    let observation = monitor.observe { _ in hasTold.signal() }
    system.write(
      "some avg10=50.00 avg60=0.00 avg300=0.00 total=1\nfull avg10=50.00 total=1\n",
      to: "proc/pressure/memory")
    #expect(hasTold.wait(timeout: .now() + 60) == .success)
    // The storage was told before.
    #expect(storage.count <= 50)
    observation.cancel()
    storage.trimsUnderMemoryPressure(false, monitor: monitor)
    #expect(monitor.observationCount == 0)
  }

  @Test func `Observers of many threads come and go while levels are told`() {
    let monitor = MemoryPressureMonitor(source: source)
    let source = source
    onThreads(4) { number in
      let storage = LRUStorage<Int, Int>(capacity: .count(10))
      for round in 0..<500 {
        storage.insert(round, forKey: round)
        storage.trimsUnderMemoryPressure(round % 3 != number % 3, monitor: monitor)
        source.tell(round % 2 == 0 ? .warning : .critical)
      }
    }
    #expect(monitor.observationCount == 0 && !source.isRunning)
  }
}

/// A source that tells what a test says.
private final class FakeSource: MemoryPressureSource {
  private let handler = Mutex<(@Sendable (MemoryPressureLevel) -> Void)?>(nil)

  var unsupportedReason: String? { nil }
  var isRunning: Bool { handler.withLock { $0 != nil } }

  func start(_ tell: @escaping @Sendable (MemoryPressureLevel) -> Void) {
    handler.withLock { $0 = tell }
  }

  func stop() {
    handler.withLock { $0 = nil }
  }

  func tell(_ level: MemoryPressureLevel) {
    let tell = handler.withLock { $0 }
    tell?(level)
  }
}

/// What was told so far.
private final class Told: Sendable {
  private let texts = Mutex<[String]>([])

  func add(_ text: String) { texts.withLock { $0.append(text) } }

  func take() -> [String] {
    texts.withLock { texts in
      defer { texts = [] }
      return texts
    }
  }
}
