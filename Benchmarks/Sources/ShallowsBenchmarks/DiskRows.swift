internal import BenchmarkHarness
internal import Foundation
internal import Shallows
internal import Synchronization

/// What lies in the log, with and without memory in front, and in files of a folder.
struct DiskRows {
  private let rows: StorageRows
  private let storages: BenchmarkStorages

  init(_ storages: BenchmarkStorages, callCount: Int) {
    rows = StorageRows(storages: storages, callCount: callCount)
    self.storages = storages
  }

  var section: Section {
    Section(
      [
        BenchmarkGroup(
          "Storages of \(BenchmarkStorages.dataByteCount) B of data on the disk",
          [bare, combined, retrieve, set, setCompressed, folder, folderSet])
      ],
      [
        rows.allowed("a hit of the LRU layer before the log", "combined-hit", nanoseconds: 150),
        Comparison(
          "", .of("storage-combined-hit"), limit: .of("storage-bare-data"), "a dictionary and a lock"),
        rows.allowed("a retrieve from the log", "log-retrieve", nanoseconds: 1_000),
        rows.allowed("a set in the log", "log-set", nanoseconds: 1_200),
        Comparison("", .of("storage-folder-retrieve"), limit: .of("storage-log-retrieve"), "the log"),
      ])
  }

  private var bare: Benchmark {
    let values = Mutex(
      Dictionary(
        uniqueKeysWithValues: storages.keys.enumerated().map { ($1, BenchmarkStorages.data($0)) }))
    return rows.row("bare-data", "bare: dictionary and lock", "a lookup under a lock", isLimit: true) {
      keys, turnCount, tally in
      for _ in 0..<turnCount {
        for (number, key) in keys.enumerated() {
          let isRight = values.withLock { $0[key] }?.first == UInt8(truncatingIfNeeded: number)
          tally.sum += isRight ? number : -1
        }
      }
    }
  }

  private var combined: Benchmark {
    rows.retrieving("combined-hit", "LRU before the log, hit", storages.combined)
  }

  private var retrieve: Benchmark {
    rows.retrieving("log-retrieve", "log, retrieve", storages.log, divisor: 4)
  }

  private var set: Benchmark { rows.setting("log-set", "log, set", storages.log, divisor: 4) }

  /// Compression takes most of it.
  private var setCompressed: Benchmark {
    rows.setting(
      "log-set-compressed", "log, set, compressed", storages.log, divisor: 4,
      data: BenchmarkStorages.compressibleData)
  }

  /// A folder completes on a thread of its own.
  private var folder: Benchmark {
    let folder = storages.folder.makeSyncStorage()
    return rows.row(
      "folder-retrieve", "folder of files, retrieve", "by makeSyncStorage", divisor: 200, keyCount: 100
    ) { keys, turnCount, tally in
      for _ in 0..<turnCount {
        for (number, key) in keys.enumerated() {
          let isRight = try folder.retrieve(forKey: key).first == UInt8(truncatingIfNeeded: number)
          tally.sum += isRight ? number : -1
        }
      }
    }
  }

  private var folderSet: Benchmark {
    let folder = storages.folder.makeSyncStorage()
    let values = (0..<100).map(BenchmarkStorages.data)
    return rows.row(
      "folder-set", "folder of files, set", "by makeSyncStorage", divisor: 400, keyCount: 100
    ) { keys, turnCount, tally in
      for _ in 0..<turnCount {
        for (number, key) in keys.enumerated() {
          try folder.set(values[number], forKey: key)
          tally.sum += number
        }
      }
    }
  }
}

extension StorageRows {
  /// Retrieves data of each key from a storage that completes at once.
  fileprivate func retrieving(
    _ identifier: String, _ name: String, _ storage: Storage<String, Data>, divisor: Int = 1
  ) -> Benchmark {
    row(identifier, name, "by callback", divisor: divisor) { keys, turnCount, tally in
      for _ in 0..<turnCount {
        for (number, key) in keys.enumerated() {
          storage.retrieve(forKey: key) { result in
            let isRight = result.value?.first == UInt8(truncatingIfNeeded: number)
            tally.sum += isRight ? number : -1
          }
        }
      }
    }
  }

  /// Sets data of each key in a storage that completes at once.
  fileprivate func setting(
    _ identifier: String, _ name: String, _ storage: Storage<String, Data>, divisor: Int,
    data: (Int) -> Data = BenchmarkStorages.data
  ) -> Benchmark {
    let values = (0..<BenchmarkStorages.keyCount).map(data)
    return row(identifier, name, "by callback", divisor: divisor) { keys, turnCount, tally in
      for _ in 0..<turnCount {
        for (number, key) in keys.enumerated() {
          storage.set(values[number], forKey: key) { tally.sum += $0.isSuccess ? number : -1 }
        }
      }
    }
  }
}
