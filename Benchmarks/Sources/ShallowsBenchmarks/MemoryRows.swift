internal import BenchmarkHarness
internal import Foundation
internal import Shallows
internal import Synchronization

/// What is in memory, by callbacks and by calls that return.
struct MemoryRows {
  private let rows: StorageRows
  private let storages: BenchmarkStorages

  init(_ storages: BenchmarkStorages, callCount: Int) {
    rows = StorageRows(storages: storages, callCount: callCount)
    self.storages = storages
  }

  var section: Section {
    Section(
      [BenchmarkGroup("Storages in memory", [bare, hit, hitSync, inline, inlineSync, zip, zipSync])],
      comparisons)
  }

  private var comparisons: [Comparison] {
    [
      rows.allowed("a hit of the LRU layer", "lru-hit", nanoseconds: 100),
      Comparison("", .of("storage-lru-hit"), limit: .of("storage-bare"), "a dictionary and a lock"),
      Comparison(
        "what a call that returns adds", .difference(of: "storage-lru-hit-sync", less: "storage-lru-hit"),
        limit: .constant(50, .time), "allowed", target: .atMost(1)),
      Comparison(
        "the same over closures", .difference(of: "storage-inline-sync", less: "storage-inline"),
        limit: .constant(50, .time), "allowed", target: .atMost(1)),
      rows.allowed("two zipped, returned", "zip-sync", nanoseconds: 400),
    ]
  }

  private var bare: Benchmark {
    let values = Mutex(storages.memory.storage)
    return rows.row("bare", "bare: dictionary and lock", "a lookup under a lock", isLimit: true) {
      keys, turnCount, tally in
      for _ in 0..<turnCount {
        for key in keys { tally.sum += values.withLock { $0[key] } ?? -1 }
      }
    }
  }

  private var hit: Benchmark {
    let cache = storages.cache
    return rows.row("lru-hit", "LRU, hit", "by callback") { keys, turnCount, tally in
      for _ in 0..<turnCount {
        for key in keys { cache.retrieve(forKey: key) { tally.sum += $0.value ?? -1 } }
      }
    }
  }

  private var hitSync: Benchmark {
    let cache = storages.cache.makeSyncStorage()
    return rows.row("lru-hit-sync", "LRU, hit, returned", "by makeSyncStorage") { keys, turnCount, tally in
      for _ in 0..<turnCount {
        for key in keys { tally.sum += try cache.retrieve(forKey: key) }
      }
    }
  }

  private var inline: Benchmark {
    let inline = storages.inline
    return rows.row("inline", "closures", "a storage of one's own that completes at once") {
      keys, turnCount, tally in
      for _ in 0..<turnCount {
        for (number, key) in keys.enumerated() {
          inline.retrieve(forKey: key) { tally.sum += $0.value == key.utf8.count ? number : -1 }
        }
      }
    }
  }

  private var inlineSync: Benchmark {
    let inline = storages.inline.makeSyncStorage()
    return rows.row("inline-sync", "closures, returned", "the same by makeSyncStorage") {
      keys, turnCount, tally in
      for _ in 0..<turnCount {
        for (number, key) in keys.enumerated() {
          tally.sum += try inline.retrieve(forKey: key) == key.utf8.count ? number : -1
        }
      }
    }
  }

  private var zip: Benchmark {
    let zipped = storages.zipped
    return rows.row("zip", "zip of two, hit", "by callback on another thread") { keys, turnCount, tally in
      let sum = SharedSum()
      let calls = DispatchGroup()
      for _ in 0..<turnCount {
        for key in keys {
          calls.enter()
          zipped.retrieve(forKey: key) { result in
            sum.value.add(result.value?.0 ?? -1, ordering: .relaxed)
            calls.leave()
          }
        }
        calls.wait()
      }
      tally.sum += sum.value.load(ordering: .relaxed)
    }
  }

  private var zipSync: Benchmark {
    let zipped = storages.zipped.makeSyncStorage()
    return rows.row("zip-sync", "zip of two, returned", "by makeSyncStorage") { keys, turnCount, tally in
      for _ in 0..<turnCount {
        for key in keys { tally.sum += try zipped.retrieve(forKey: key).0 }
      }
    }
  }
}
