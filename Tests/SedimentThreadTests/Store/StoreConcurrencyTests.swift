import Sediment
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// Readers beside writers on one store.
@Suite(.serialized) struct StoreConcurrencyTests {
  static let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]

  @Test(arguments: accesses)
  func `While two write and the index grows, four readers find what was there at some moment of the reading`(
    _ access: SedimentOptions.Access
  ) throws {
    let files = try TemporaryStore()
    let store = try files.open(access)
    let keys = (0..<ConcurrencyScale.of(access == .unmapped ? 40_000 : 200_000)).map { VersionedKey($0) }
    let crew = Crew()
    for _ in 0..<4 {
      crew.repeating { generator, crew in try Self.read(store, keys, &generator, crew) }
    }
    try crew.work { writers in
      for half in 0..<2 {
        writers.start { _ in
          var generator = SeededGenerator(seed: UInt64(half))
          let own = keys.indices.filter { $0 % 2 == half }
          // All of them in order, which lets the index grow, then some of them again and again.
          let again = (0..<own.count).map { _ in own[Int.random(in: 0..<own.count, using: &generator)] }
          for number in own + again {
            let key = keys[number]
            try key.change { value in
              if let value {
                try store.set(value, forKey: key.key)
              } else {
                try store.remove(forKey: key.key)
              }
            }
          }
        }
      }
    }
    let last = keys.count { !VersionedKey.isRemoval($0.doneVersion) }
    #expect(try store.count() == last)
    try store.close()
    let again = try files.open(access)
    #expect(again.recovery.wasClosed)
    for key in keys {
      let complaint = try key.complaint(again.retrieve(forKey: key.key), before: key.doneVersion)
      #expect(complaint == nil)
    }
  }

  /// Reads one key in one way, or several.
  private static func read(
    _ store: SedimentStore, _ keys: [VersionedKey], _ generator: inout SeededGenerator, _ crew: Crew
  ) throws {
    let key = keys[Int.random(in: 0..<keys.count, using: &generator)]
    let before = key.doneVersion
    var found: [UInt8]?
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: found = try store.retrieve(forKey: key.key)
    case 1:
      var buffer: [UInt8] = [1, 2, 3]
      found = try store.retrieve(forKey: key.key, into: &buffer) ? buffer : nil
    case 2:
      found = try store.withValue(forKey: key.key) { span in
        let bytes = [UInt8](sedimentBytes: span)
        if bytes != [UInt8](sedimentBytes: span) { crew.complain("\(key.key) changes while it is read") }
        return bytes
      }
    case 3:
      let isThere = try store.contains(key.key)
      let after = key.begunVersion
      if !(before...after).contains(where: { VersionedKey.isRemoval($0) != isThere }) {
        crew.complain("\(key.key) is there: \(isThere), and it was \(before) to \(after)")
      }
      return
    default: return try readMany(store, keys, &generator, crew)
    }
    if let complaint = key.complaint(found, before: before) { crew.complain(complaint) }
  }

  private static func readMany(
    _ store: SedimentStore, _ keys: [VersionedKey], _ generator: inout SeededGenerator, _ crew: Crew
  ) throws {
    let some = (0..<20).map { _ in keys[Int.random(in: 0..<keys.count, using: &generator)] }
    let before = some.map(\.doneVersion)
    let found = try store.retrieve(forKeys: some.map(\.key))
    for (place, key) in some.enumerated() {
      if let complaint = key.complaint(found[place], before: before[place]) { crew.complain(complaint) }
    }
  }

  @Test(arguments: accesses)
  func `Iterations see every key that stays just once, and of the others nothing that never was`(
    _ access: SedimentOptions.Access
  ) throws {
    let store = try TemporaryStore().open(access)
    let stayingCount = ConcurrencyScale.of(10_000)
    for number in 0..<stayingCount { try store.set("\(number)", forKey: "stays:\(number)") }
    let keys = (0..<ConcurrencyScale.of(20_000)).map { VersionedKey($0) }
    let byName = Dictionary(uniqueKeysWithValues: keys.map { ($0.key, $0) })
    let crew = Crew()
    for _ in 0..<2 {
      crew.repeating { _, crew in
        let before = keys.map(\.doneVersion)
        var seen = [Int](repeating: 0, count: stayingCount)
        try store.forEach { key, value in
          let name = String(sedimentBytes: key) ?? ""
          if let number = Int(name.dropFirst("stays:".count)), name.hasPrefix("stays:") {
            seen[number] += 1
          } else if let key = byName[name], let number = Int(name.dropFirst("key:".count)) {
            let complaint = key.complaint([UInt8](sedimentBytes: value), before: before[number])
            if let complaint { crew.complain("iterating, \(complaint)") }
          } else {
            crew.complain("a key that nobody set: \(name)")
          }
          return .continue
        }
        if let number = seen.firstIndex(where: { $0 != 1 }) {
          crew.complain("stays:\(number) came \(seen[number]) times")
        }
      }
    }
    crew.repeating { _, crew in
      let count = try store.keys(withPrefix: "stays:").count
      if count != stayingCount { crew.complain("\(count) keys stay") }
    }
    try crew.work { writers in
      for half in 0..<2 {
        writers.start { _ in
          for round in 0..<3 {
            for (number, key) in keys.enumerated() where number % 2 == half {
              try key.change { value in
                if let value {
                  try store.set(value, forKey: key.key)
                } else {
                  try store.remove(forKey: key.key)
                }
              }
              if round == 0, number % 97 == 0 { try store.checkpoint() }
            }
          }
        }
      }
    }
    try store.close()
  }
}
