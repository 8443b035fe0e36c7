import Sediment
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// Threads that read and write while segments are moved, left out and used again, with a model of each key.
@Suite struct CompactionStressTests {
  private static let keyCount = 400
  private static let writerCount = 2

  /// What a key may be found to be: its writer's last change, or one that is under way.
  private final class Model: Sendable {
    /// For each key the number of the last change that began, and of the last that ended; odd ones remove.
    let begun = Mutex<[Int: Int]>([:])
    let ended = Mutex<[Int: Int]>([:])
  }

  /// A value says its key and change, is up to 40 slots long, and its rest follows from these.
  private static func value(_ key: Int, _ change: Int) -> [UInt8] {
    let count = key % 50 == 0 ? 140_000 + change % 7 * 50_000 : 24 + (key * 37 + change * 101) % 3_000
    var bytes = pattern(count, key &* 7919 &+ change)
    for (place, number) in [key, change].enumerated() {
      for byte in 0..<8 { bytes[place * 8 + byte] = UInt8(truncatingIfNeeded: number >> (byte * 8)) }
    }
    return bytes
  }

  private static func change(_ value: [UInt8], of key: Int) -> Int? {
    func number(_ place: Int) -> Int { (0..<8).reduce(0) { $0 | Int(value[place * 8 + $1]) << ($1 * 8) } }
    guard value.count >= 16, number(0) == key else { return nil }
    let change = number(1)
    return same(value, Self.value(key, change)) ? change : nil
  }

  private static func check(
    _ store: SedimentStore, _ key: Int, _ model: Model, evicts: Bool, _ crew: Crew
  ) throws {
    let first = model.ended.withLock { $0[key] ?? -1 }
    let value = try store.retrieve(forKey: "\(key)")
    let last = max(first, model.begun.withLock { $0[key] ?? -1 })
    if let value {
      let found = Self.change(value, of: key)
      if found.map({ $0 < first || $0 > last || $0 % 2 != 0 }) ?? true {
        crew.complain("key \(key) has \(found.map(String.init) ?? "rubbish"), not \(first) to \(last)")
      }
    } else if !evicts, first >= 0, first % 2 == 0, last == first {
      crew.complain("key \(key) is lost: \(first)")
    }
  }

  private static func write(
    _ store: SedimentStore, _ numbers: [Int], _ model: Model, _ generator: inout SeededGenerator
  ) throws {
    let changes = numbers.map { key in
      let before = model.begun.withLock { $0[key] ?? -1 }
      let removes = Int.random(in: 0..<5, using: &generator) == 0
      var next = before + 1
      if (next % 2 == 1) != removes { next += 1 }
      model.begun.withLock { $0[key] = next }
      return (key, next)
    }
    if changes.count == 1 {
      let (key, change) = changes[0]
      if change % 2 == 1 {
        _ = try store.remove(forKey: "\(key)")
      } else {
        try store.set(value(key, change), forKey: "\(key)")
      }
    } else {
      try store.batch { batch in
        for (key, change) in changes {
          if change % 2 == 1 {
            batch.remove(forKey: "\(key)")
          } else {
            batch.set(value(key, change), forKey: "\(key)")
          }
        }
      }
    }
    for (key, change) in changes { model.ended.withLock { $0[key] = change } }
  }

  @Test(arguments: [false, true], accesses)
  func `Nothing is lost, mixed up or comes back while segments are moved and used again`(
    evicts: Bool, access: SedimentOptions.Access
  ) throws {
    let folder = try TemporaryStore()
    let model = Model()
    for round in 0..<3 {
      var options = SedimentOptions(durability: .unsynced, access: access)
      if evicts { options.capacity = .evicting(maxBytes: 12 << 20) }
      let store = try SedimentStore(path: folder.path, options: options)
      let crew = Crew()
      for key in 0..<Self.keyCount { try Self.check(store, key, model, evicts: evicts, crew) }
      for _ in 0..<4 {
        crew.repeating { generator, crew in
          let key = Int.random(in: 0..<Self.keyCount, using: &generator)
          try Self.check(store, key, model, evicts: evicts, crew)
        }
      }
      crew.repeating { _, _ in
        try store.compact()
        _ = try store.storeIndex()
        do {
          try store.checkpoint()
        } catch let error as SedimentError where error.code == .outOfSpace {
          // What room there is others have at the moment.
        }
      }
      try crew.work { writers in
        for writer in 0..<Self.writerCount {
          writers.start { _ in try Self.write(store, as: writer, round, model) }
        }
      }
      for key in 0..<Self.keyCount { try Self.check(store, key, model, evicts: evicts, crew) }
      let count = try store.count()
      try store.close()
      let again = try SedimentStore(path: folder.path, options: options)
      #expect(try again.count() == count)
      for key in 0..<Self.keyCount { try Self.check(again, key, model, evicts: evicts, crew) }
      try again.close()
      let report = try SedimentStore.verify(path: folder.path)
      #expect(report.isIntact)
      try crew.work { _ in }
    }
  }

  /// Changes keys at random, of which each has one writer.
  private static func write(
    _ store: SedimentStore, as writer: Int, _ round: Int, _ model: Model
  ) throws {
    var generator = SeededGenerator(seed: UInt64(round * 10 + writer))
    for _ in 0..<ConcurrencyScale.of(20_000) {
      let count = Int.random(in: 0..<10, using: &generator) == 0 ? 5 : 1
      var keys: Set<Int> = []
      while keys.count < count {
        keys.insert(
          Int.random(in: 0..<keyCount / writerCount, using: &generator) * writerCount + writer)
      }
      try write(store, keys.sorted(), model, &generator)
    }
  }
}
