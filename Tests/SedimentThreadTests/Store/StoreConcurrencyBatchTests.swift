import Sediment
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// Batches and changes that depend on what is there, made by several threads at once.
@Suite(.serialized) struct StoreConcurrencyBatchTests {
  private static let groupSize = 8

  private static func value(_ version: Int, _ place: Int) -> [UInt8] { Array("\(version)/\(place)".utf8) }

  /// Whether a version of a group has no value for a key.
  private static func isAbsent(_ version: Int, _ place: Int) -> Bool { (version &* 31 &+ place) % 5 == 0 }

  @Test(arguments: StoreConcurrencyTests.accesses)
  func `Of a batch readers see all or nothing`(_ access: SedimentOptions.Access) throws {
    let store = try TemporaryStore().open(access)
    let other = try store.collection("other")
    let groupCount = 3
    let done = (0..<groupCount).map { _ in VersionCounter() }
    // Version 0 of each group has all keys.
    for group in 0..<groupCount {
      for place in 0..<Self.groupSize {
        try (place % 2 == 0 ? store : other as SedimentKeyspace).set(
          Self.value(0, place), forKey: "\(group)/\(place)")
      }
    }
    let crew = Crew()
    for _ in 0..<3 {
      crew.repeating { generator, crew in
        let group = Int.random(in: 0..<groupCount, using: &generator)
        var least = done[group].done.load(ordering: .acquiring)
        // Whoever has seen a version sees no earlier one at another key.
        for place in (0..<Self.groupSize).shuffled(using: &generator) {
          let keys: SedimentKeyspace = place % 2 == 0 ? store : other
          let found = try keys.retrieve(forKey: "\(group)/\(place)", as: String.self)
          let most = done[group].begun.load(ordering: .acquiring)
          if let found {
            let parts = found.split(separator: "/").compactMap { Int($0) }
            guard parts.count == 2, parts[1] == place, (least...most).contains(parts[0]) else {
              crew.complain("group \(group), key \(place): \(found), and it was \(least) to \(most)")
              continue
            }
            least = parts[0]
          } else if let next = (least...most).first(where: { Self.isAbsent($0, place) }) {
            least = next
          } else {
            crew.complain("group \(group), key \(place): nothing, and it was \(least) to \(most)")
          }
        }
      }
    }
    crew.repeating { generator, _ in
      // Keys of nobody else, so that the index changes its shape.
      let number = Int.random(in: 0..<5000, using: &generator)
      try store.set("x", forKey: "filler:\(number)")
    }
    try crew.work { writers in
      for group in 0..<groupCount {
        writers.start { _ in
          for version in 1...ConcurrencyScale.of(40_000) {
            done[group].begun.store(version, ordering: .releasing)
            try store.batch { batch in
              for place in 0..<Self.groupSize {
                let key = "\(group)/\(place)"
                // What the same batch replaces again must never be seen.
                if version % 3 == 0, place < 2 { Self.set([63], key, place, other, &batch) }
                if Self.isAbsent(version, place) {
                  Self.set(nil, key, place, other, &batch)
                } else {
                  Self.set(Self.value(version, place), key, place, other, &batch)
                }
              }
            }
            done[group].done.store(version, ordering: .releasing)
          }
        }
      }
    }
    try store.close()
  }

  private final class VersionCounter: Sendable {
    let begun = Atomic(0)
    let done = Atomic(0)
  }

  private static func set(
    _ value: [UInt8]?, _ key: String, _ place: Int, _ other: SedimentCollection, _ batch: inout SedimentBatch
  ) {
    switch (value, place % 2 == 0) {
    case (let value?, true): batch.set(value, forKey: key)
    case (let value?, false): batch.set(value, forKey: key, in: other)
    case (nil, true): batch.remove(forKey: key)
    case (nil, false): batch.remove(forKey: key, in: other)
    }
  }

  @Test(arguments: StoreConcurrencyTests.accesses)
  func `No update is lost, whichever way it is made`(_ access: SedimentOptions.Access) throws {
    let store = try TemporaryStore().open(access)
    let count = ConcurrencyScale.of(20_000)
    let firsts = (0..<count).map { _ in Counter() }
    let crew = Crew()
    crew.repeating { _, crew in
      for key in ["updated", "compared"] {
        let text = try store.retrieve(forKey: key, as: String.self)
        if let text, Int(text) == nil { crew.complain("\(key) is \(text)") }
      }
    }
    try crew.work { writers in
      for thread in 0..<6 {
        writers.start { _ in
          for number in 0..<count {
            try store.update(forKey: "updated") { Self.successor(of: $0) }
            // Longer than a segment's rest now and then, so that the log goes on in another.
            try store.update(forKey: "\(thread)") { _ in [UInt8](repeating: 1, count: number % 3000) }
            if try store.setIfAbsent("\(thread)", forKey: "first:\(number)") { firsts[number].add() }
            var isSet = false
            while !isSet {
              let old: [UInt8]? = try store.retrieve(forKey: "compared")
              isSet = try store.compareAndSet(
                forKey: "compared", expected: old, new: Self.successor(of: old))
            }
          }
        }
      }
    }
    #expect(try store.retrieve(forKey: "updated", as: String.self) == "\(6 * count)")
    #expect(try store.retrieve(forKey: "compared", as: String.self) == "\(6 * count)")
    #expect(firsts.allSatisfy { $0.value == 1 })
    try store.close()
  }

  private static func successor(of value: [UInt8]?) -> [UInt8] {
    let number = value.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    return Array("\(number + 1)".utf8)
  }
}
