internal import Sediment

extension SeedStore {
  /// Small stores that between them have every structure of the format that the engine writes.
  package static let all: [SeedStore] = [
    SeedStore("plain, open", isClosed: false, plain),
    SeedStore("plain, closed", isClosed: true, plain),
    SeedStore("collections", isClosed: false, collections),
    SeedStore("batches", isClosed: false, batches),
    SeedStore("large values", isClosed: true, large),
    SeedStore("compacted", isClosed: false, compacted),
    SeedStore("indexed, open", isClosed: false, indexed),
    SeedStore("indexed, closed", isClosed: true, indexed),
    SeedStore("compressed", compression: .zstd(level: 1), isClosed: true, compressed),
  ]

  /// Those with a stored index.
  package static let indexed: [SeedStore] = [
    SeedStore("indexed, open", isClosed: false, indexed),
    SeedStore("indexed, closed", isClosed: true, indexed),
    SeedStore("indexed, compacted", isClosed: true) { script in
      try compacted(script)
      try script.store.storeIndex()
    },
    SeedStore("indexed, of several pages", isClosed: true) { script in
      try script.change { store in
        try store.batch { batch in
          for number in 0..<480 { batch.set("\(number)", forKey: "k\(number)") }
        }
      }
      try script.store.storeIndex()
      try script.set("later", "k7")
    },
  ]

  /// Those whose values are compressed, the last one with a dictionary.
  package static let compressed: [SeedStore] = [
    SeedStore("compressed", compression: .zstd(level: 1), isClosed: false, compressed),
    SeedStore("compressed, large", compression: .zstd(level: 1), isClosed: false, compressedLarge),
    SeedStore("with a dictionary", compression: .automatic, isClosed: false, dictionary),
  ]

  private static func plain(_ script: SeedScript) throws {
    for number in 0..<6 { try script.set("value \(number)", "key \(number)") }
    try script.store.sync()
    try script.set("another value", "key 1")
    try script.remove("key 2")
    try script.set("", "empty")
    try script.store.checkpoint()
    try script.set("behind the checkpoint", "key 3")
    try script.store.sync()
    try script.set("not synced", "key 4")
  }

  private static func collections(_ script: SeedScript) throws {
    try script.set("1", "a", in: "one")
    try script.set("2", "a", in: "two")
    try script.change { store in
      try store.set("soon gone", forKey: "b", expiry: .at(milliseconds: 5_000))
    }
    let keys = try script.keyspace("two")
    try script.change { _ in try keys.set("later gone", forKey: "b", expiry: .at(milliseconds: 9_000)) }
    try script.change { _ in try keys.setExpiry(.at(milliseconds: 7_000), forKey: "a") }
    try script.store.sync()
    try script.set("3", "c", in: "three")
    try script.change { store in try store.dropCollection("three") }
    try script.store.checkpoint()
    try script.change { store in try store.collection("one").removeAll() }
    try script.set("4", "d", in: "one")
    try script.store.sync()
    try script.change { store in try store.removeEverything() }
    try script.set("5", "e", in: "two")
    try script.set("6", "e")
  }

  private static func batches(_ script: SeedScript) throws {
    for round in 0..<4 {
      try script.change { store in
        try store.batch { batch in
          // What a batch sets and removes again was never there, but for a salvage of half of it.
          for number in 0...round where number != round - 2 {
            batch.set("\(round)", forKey: "\(number)")
          }
          batch.remove(forKey: "\(round - 2)")
        }
      }
      if round == 1 { try script.store.sync() }
    }
    try script.set("alone", "5")
    let keys = try script.keyspace("in a batch")
    try script.change { store in
      try store.batch { batch in
        batch.set("with others", forKey: "6", in: keys)
        batch.set(SeedStore.pattern(140_000, 7), forKey: "large")
      }
    }
  }

  private static func large(_ script: SeedScript) throws {
    try script.set("small", "small")
    try script.set(pattern(131_073, 1), "large")
    try script.set(pattern(150_000, 2), "replaced")
    try script.store.sync()
    try script.set(pattern(140_001, 3), "replaced")
    try script.remove("small")
  }

  /// Records of three slots' worth again and again, most of them dead, and what was live moved twice.
  private static func compacted(_ script: SeedScript) throws {
    for round in 0..<3 {
      for number in 0..<9 where round == 0 || number % 3 == round {
        try script.set(pattern(3_000, round * 10 + number), "key \(number)")
      }
      try script.remove("key \(round * 4)")
      try script.store.compact()
      try script.set("between", "round \(round)")
    }
    try script.store.sync()
  }

  private static func indexed(_ script: SeedScript) throws {
    for number in 0..<20 { try script.set("value \(number)", "key \(number)") }
    try script.set("another", "key 3", in: "one")
    try script.remove("key 4")
    try script.store.storeIndex()
    try script.store.sync()
    try script.set("later", "key 5")
    try script.remove("key 6")
  }

  private static func compressed(_ script: SeedScript) throws {
    for number in 0..<4 { try script.set(text(200 << number, number), "text \(number)") }
    try script.set(pattern(300, 1), "incompressible")
    try script.set([UInt8](repeating: 7, count: 70_000), "runs")
    try script.store.sync()
  }

  private static func compressedLarge(_ script: SeedScript) throws {
    try script.set("small", "small")
    try script.set(text(400_000, 1) + pattern(60_000, 2), "large")
    try script.store.sync()
  }

  /// Few values are left of the thousands that it takes to train a dictionary.
  private static func dictionary(_ script: SeedScript) throws {
    let store = script.store
    var count = 0
    while store.statistics.dictionaryCount == 0, count < 10_000 {
      try store.set(object(count), forKey: "\(count)")
      count += 1
      if count % 50 == 0 { script.scheduler.runDue() }
    }
    try store.removeEverything()
    try script.change { store in
      try store.batch { batch in
        for number in 0..<8 { batch.set(object(number), forKey: "object \(number)") }
      }
    }
    try store.compact()
  }
}
