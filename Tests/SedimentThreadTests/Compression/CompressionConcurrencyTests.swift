import Foundation
import Sediment
import SedimentSupport
import Synchronization
import Testing

/// Threads that set and read values while dictionaries are trained.
@Suite struct CompressionConcurrencyTests {
  @Test func `Threads set and read while dictionaries come and go`() throws {
    let directory = try StoreDirectory()
    let store = try SedimentStore(
      path: directory["store"], options: SedimentOptions(durability: .interval(.milliseconds(5))))
    let count = hasThreadSanitizer ? 2_000 : 8_000
    let failures = Mutex<[any Error]>([])
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      do {
        try Self.work(store, thread, count)
      } catch {
        failures.withLock { $0.append(error) }
      }
    }
    #expect(failures.withLock { $0.isEmpty })
    #expect(store.statistics.dictionaryCount >= 1)
    #expect(store.statistics.liveKeyCount == 4 * count)
    try store.close()
    let again = try SedimentStore(path: directory["store"])
    for thread in 0..<4 {
      for number in stride(from: 0, to: count, by: 13) {
        let found = try again.retrieve(forKey: "\(thread) \(number)")
        #expect(same(found, Self.value(number, of: count)))
      }
    }
    try again.close()
  }

  private static func work(_ store: SedimentStore, _ thread: Int, _ count: Int) throws {
    for number in 0..<count {
      // Their make changes half way.
      try store.set(value(number, of: count), forKey: "\(thread) \(number)")
      let other = Int.random(in: 0...number)
      let found = try store.retrieve(forKey: "\(thread) \(other)")
      #expect(same(found, value(other, of: count)))
      // A dictionary that is being born is none that has had its time.
      if thread == 0, number % 50 == 0 { try store.compact() }
    }
  }

  private static func value(_ number: Int, of count: Int) -> [UInt8] {
    number < count / 2 ? Samples.json(number) : Samples.record(number)
  }

  /// What takes long to compress.
  enum Work: CaseIterable, Sendable {
    case values, batch, large
  }

  @Test(arguments: Work.allCases)
  func `While one thread compresses, another sets`(work: Work) throws {
    let directory = try StoreDirectory()
    let store = try SedimentStore(
      path: directory["store"],
      options: SedimentOptions(compaction: .off, compression: .zstd(level: 19)))
    let hasBegun = Atomic<Bool>(false)
    let isDone = Atomic<Bool>(false)
    let hasFailed = Atomic<Bool>(false)
    let values = (0..<16).map { Samples.text(120_000, $0) }
    let thread = Thread {
      do {
        try Self.compress(work, values, store) { hasBegun.store(true, ordering: .releasing) }
      } catch {
        hasFailed.store(true, ordering: .relaxed)
      }
      isDone.store(true, ordering: .releasing)
    }
    thread.start()
    while !hasBegun.load(ordering: .acquiring), !isDone.load(ordering: .acquiring) {}
    var setCount = 0
    while !isDone.load(ordering: .acquiring) {
      try store.set("x", forKey: "small")
      setCount += 1
    }
    let failed = hasFailed.load(ordering: .relaxed)
    #expect(!failed)
    // Had it to wait for what is compressed, it would be those of the moment before.
    #expect(setCount > (hasThreadSanitizer ? 1_000 : 5_000))
    try store.close()
  }

  private static func compress(
    _ work: Work, _ values: [[UInt8]], _ store: SedimentStore, _ begin: () -> Void
  ) throws {
    switch work {
    case .values:
      begin()
      for (number, value) in values.enumerated() { try store.set(value, forKey: "\(number)") }
    case .batch:
      try store.batch { batch in
        for (number, value) in values.enumerated() { batch.set(value, forKey: "\(number)") }
        begin()
      }
    case .large:
      let value = Array(values.joined())
      begin()
      try store.set(value, forKey: "large")
    }
  }
}
