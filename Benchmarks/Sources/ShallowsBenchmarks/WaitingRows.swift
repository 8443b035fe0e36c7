internal import BenchmarkHarness
internal import Dispatch
internal import Shallows
internal import Synchronization

/// Storages that complete on other threads, beside closures that do the same by the means of the system.
struct WaitingRows {
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
          "Storages that complete on other threads",
          [task, mapped, mappedSync, queue, synchronized, synchronizedSync, backlog])
      ],
      [
        Comparison(
          "an async transform", .of("storage-async-map"), limit: .of("storage-task"), "a task for each call",
          target: .atMost(1)),
        Comparison(
          "a synchronized call", .of("storage-synchronized"), limit: .of("storage-queue"),
          "a queue of the system",
          target: .atMost(1)),
        Comparison(
          "one of a backlog of all", .of("storage-backlog"), limit: .of("storage-synchronized"),
          "one of a thousand", target: .atMost(1.5)),
      ])
  }

  private var task: Benchmark {
    let memory = Handed(storages.memory)
    let storage = Storage<String, Int>(
      storageName: "task",
      retrieve: { key, completion in
        let completion = Handed(completion)
        Task { memory.value.retrieve(forKey: key, completion: completion.value) }
      },
      set: { _, _, completion in completion(.success(())) })
    return burst("task", "closure with a task, burst", "a task for each call", storage, isLimit: true)
  }

  private var mapped: Benchmark {
    burst("async-map", "async transform, burst", "by callback", asyncMapped)
  }

  private var mappedSync: Benchmark {
    returned("async-map-sync", "async transform, returned", asyncMapped)
  }

  private var asyncMapped: Storage<String, Int> {
    storages.memory.asyncMapValues(transformIn: { $0 }, transformOut: { $0 })
  }

  private var queue: Benchmark {
    let memory = Handed(storages.memory)
    let queue = DispatchQueue(label: "rows")
    let storage = Storage<String, Int>(
      storageName: "queue",
      retrieve: { key, completion in
        let completion = Handed(completion)
        queue.async { memory.value.retrieve(forKey: key, completion: completion.value) }
      },
      set: { _, _, completion in completion(.success(())) })
    return burst(
      "queue", "closure with a queue, burst", "a serial queue of the system", storage, isLimit: true)
  }

  private var synchronized: Benchmark {
    burst("synchronized", "synchronized calls, burst", "by callback", storages.memory.synchronizedCalls())
  }

  private var synchronizedSync: Benchmark {
    returned("synchronized-sync", "synchronized calls, returned", storages.memory.synchronizedCalls())
  }

  private var backlog: Benchmark {
    burst(
      "backlog", "synchronized calls, all at once", "by callback", storages.memory.synchronizedCalls(),
      waitsOnce: true)
  }

  /// Asks for all keys, then waits for the answers; or waits once all turns have been asked for.
  private func burst(
    _ identifier: String, _ name: String, _ meaning: String, _ storage: Storage<String, Int>,
    isLimit: Bool = false, waitsOnce: Bool = false
  ) -> Benchmark {
    rows.row(identifier, name, meaning, divisor: 10, isLimit: isLimit) { keys, turnCount, tally in
      let sum = SharedSum()
      let calls = DispatchGroup()
      for _ in 0..<turnCount {
        for key in keys {
          calls.enter()
          storage.retrieve(forKey: key) { result in
            sum.value.add(result.value ?? -1, ordering: .relaxed)
            calls.leave()
          }
        }
        if !waitsOnce { calls.wait() }
      }
      calls.wait()
      tally.sum += sum.value.load(ordering: .relaxed)
    }
  }

  private func returned(_ identifier: String, _ name: String, _ storage: Storage<String, Int>) -> Benchmark {
    let storage = storage.makeSyncStorage()
    return rows.row(identifier, name, "by makeSyncStorage", divisor: 10) { keys, turnCount, tally in
      for _ in 0..<turnCount {
        for key in keys { tally.sum += try storage.retrieve(forKey: key) }
      }
    }
  }
}

/// What callbacks on any thread add up to.
final class SharedSum: Sendable {
  let value = Atomic<Int>(0)
}

/// What goes to another thread, which alone uses it then, or all of which is safe from any.
private struct Handed<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) { self.value = value }
}
