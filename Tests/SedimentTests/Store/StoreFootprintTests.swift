import Sediment
import SedimentDisk
import SedimentSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// How little a store takes, each measured in a process of its own.
@Suite(.serialized) struct StoreFootprintTests {
  @Test(arguments: 0..<3)
  func `Ten small values take at most 128 KiB on disk, open, closed and after a death`(
    number: Int
  ) async throws {
    let directory = try StoreDirectory()
    await #expect(processExitsWith: .exitCode(3)) { [path = directory["store"] as String, number] in
      let options = SedimentOptions(access: accesses[number])
      for round in 0..<3 {
        let store = try SedimentStore(path: path, options: options)
        for key in 0..<10 { try store.set(pattern(100, round), forKey: "\(key)") }
        try store.sync()
        let open = Measures.allocatedByteCount(path) ?? .max
        #expect(open <= 128 << 10, "open")
        try store.close()
        #expect(Measures.allocatedByteCount(path) ?? .max <= 128 << 10, "closed")
      }
      let store = try SedimentStore(path: path, options: options)
      for key in 0..<10 { try store.set(pattern(100), forKey: "\(key)") }
      _exit(3)
    }
    let store = try SedimentStore(
      path: directory["store"], options: SedimentOptions(access: accesses[number]))
    #expect(!store.recovery.wasClosed)
    #expect(try #require(Measures.allocatedByteCount(directory["store"])) <= 128 << 10)
    try store.set("value", forKey: "key")
    try store.close()
    #expect(try #require(Measures.allocatedByteCount(directory["store"])) <= 128 << 10)
    #expect(try directory.names == ["store"])
  }

  @Test(arguments: 0..<3)
  func `An open store has one descriptor, and a closed one none`(number: Int) async throws {
    let directory = try StoreDirectory()
    await #expect(processExitsWith: .success) { [path = directory["store"] as String, number] in
      let before = Measures.descriptorCount
      let options = SedimentOptions(access: accesses[number])
      // The testing library opens and closes a few of its own.
      let slack = 3
      for isNew in [true, false] {
        let store = try SedimentStore(path: path, options: options)
        try store.set(pattern(1 << 20), forKey: "large", durability: .synced)
        for number in 0..<1_000 { try store.set(pattern(100, number), forKey: "\(number)") }
        _ = try store.keys()
        #expect(Measures.descriptorCount(of: path) == 1, "new: \(isNew)")
        try store.close()
        #expect(Measures.descriptorCount(of: path) == 0, "new: \(isNew)")
      }
      // Nor does what failed leave any.
      let store = try SedimentStore(path: path, options: options)
      for _ in 0..<10 { _ = try? SedimentStore(path: path, options: options) }
      for _ in 0..<10 {
        _ = try? SedimentStore(path: path + ".none", options: SedimentOptions(mustExist: true))
      }
      for _ in 0..<10 { try? SedimentStore.destroy(path: path) }
      #expect(Measures.descriptorCount(of: path) == 1)
      #expect(Measures.descriptorCount <= before + 1 + slack)
      try store.close()
    }
  }

  @Test(.disabled(if: hasSanitizer, "A sanitizer keeps freed memory."))
  func `2,000 openings and closings leave descriptors, threads and memory as they were`() async throws {
    let directory = try StoreDirectory(takesManySyncs: true)
    await #expect(processExitsWith: .success) { [path = directory["store"] as String] in
      func cycle(_ number: Int) throws {
        // One in ten is written to, so that the file does not become what takes the time.
        let options = SedimentOptions(access: accesses[number % 3])
        let store = try SedimentStore(path: path, options: options)
        if number % 10 == 0 { try store.set("\(number)", forKey: "key") }
        _ = try store.retrieve(forKey: "key")
        if number % 2 == 0 { try store.close() }
      }
      for number in 0..<1_000 { try cycle(number) }
      let before = (Measures.descriptorCount, Measures.threadCount ?? 0, Measures.heapByteCount ?? 0)
      for number in 0..<2_000 { try cycle(number) }
      #expect(Measures.descriptorCount(of: path) == 0)
      #expect(Measures.descriptorCount <= before.0 + 10)
      #expect(Measures.threadCount ?? 0 <= before.1 + 4)
      // Not ten bytes for each.
      #expect((Measures.heapByteCount ?? 0) - before.2 < 20_000)
    }
  }

  @Test(.disabled(if: hasSanitizer, "A sanitizer keeps freed memory."), arguments: [true, false])
  func `A large value, or a key above 13 KiB, takes at most 2 KB of memory`(isLongKey: Bool) async throws {
    let directory = try StoreDirectory(takesManySyncs: true)
    await #expect(processExitsWith: .success) { [path = directory["store"] as String, isLongKey] in
      let options = SedimentOptions(durability: .unsynced, compaction: .manual, compression: .off)
      let store = try SedimentStore(path: path, options: options)
      let value = pattern(isLongKey ? 1 : 140_000)
      let key = isLongKey ? String(repeating: "k", count: 14_000) : ""
      func fill(_ numbers: Range<Int>) throws {
        for number in numbers { try store.set(value, forKey: "\(number)" + key) }
      }
      try fill(0..<100)
      let before = Measures.heapByteCount ?? 0
      try fill(100..<600)
      let byteCount = ((Measures.heapByteCount ?? 0) - before) / 500
      #expect(byteCount <= 2_000)
      try store.close()
    }
  }

  @Test(.disabled(if: hasSanitizer, "A sanitizer keeps freed memory."))
  func `10,000 short-lived threads that read and write leave memory flat`() async throws {
    let directory = try StoreDirectory(takesManySyncs: true)
    await #expect(processExitsWith: .success) { [path = directory["store"] as String] in
      let store = try SedimentStore(path: path)
      try store.set("value", forKey: "key")
      func run(_ count: Int) {
        for round in 0..<count / 4 {
          let threads = (0..<4).map { number in
            TestThread {
              _ = try? store.retrieve(forKey: "key")
              _ = try? store.withValue(forKey: "key") { $0.byteCount }
              if round % 50 == 0 { try? store.set("\(number)", forKey: "key") }
            }
          }
          for thread in threads { thread.join() }
        }
      }
      run(1_000)
      let before = (Measures.heapByteCount ?? 0, Measures.residentByteCount ?? 0, Readers.slotCount)
      run(10_000)
      #expect((Measures.heapByteCount ?? 0) - before.0 < 100_000)
      #expect((Measures.residentByteCount ?? 0) - before.1 < 4 << 20)
      #expect(Readers.slotCount <= before.2 + 4)
      try store.close()
    }
  }

  @Test func `Hundreds of stores share a few threads, and take little memory each`() async throws {
    let directory = try StoreDirectory(takesManySyncs: true)
    await #expect(processExitsWith: .success) { [path = directory.path as String] in
      let count = 300
      let threadCountMax = 64
      let before = (Measures.descriptorCount, Measures.residentByteCount ?? 0, Measures.threadCount ?? 0)
      let options = SedimentOptions(durability: .interval(.milliseconds(1)))
      let stores = try (0..<count).map { try SedimentStore(path: "\(path)/\($0)", options: options) }
      for round in 0..<3 {
        for store in stores {
          for key in 0..<10 { try store.set("\(round)", forKey: "\(key)") }
        }
        #expect(WorkPool.shared.threadCount <= threadCountMax)
        #expect(Measures.threadCount ?? 0 <= before.2 + threadCountMax)
        #expect(
          eventually {
            stores.allSatisfy { $0.statistics.syncCount > round && WorkPool.shared.waitingCount == 0 }
          })
      }
      #expect(Measures.descriptorCount <= before.0 + count + 10)
      if !hasSanitizer {
        #expect((Measures.residentByteCount ?? 0) - before.1 < count << 20)
      }
      // Idle now: nothing waits for its time, so nothing wakes up.
      #expect(WorkPool.shared.waitingCount == 0)
      for store in stores { try store.close() }
      #expect(Measures.descriptorCount <= before.0 + 10)
    }
  }

  @Test(.disabled(if: hasSanitizer, "A sanitizer keeps freed memory."))
  func `Memory does not grow with the number of operations`() async throws {
    let directory = try StoreDirectory(takesManySyncs: true)
    await #expect(processExitsWith: .success) { [path = directory["store"] as String] in
      let store = try SedimentStore(path: path)
      let users = try store.collection("users")
      var buffer: [UInt8] = []
      func run(_ count: Int) throws {
        for number in 0..<count {
          let key = "\(number % 100)"
          try store.set(pattern(50, number), forKey: key)
          _ = try store.retrieve(forKey: key)
          _ = try store.retrieve(forKey: key, into: &buffer)
          try users.update(forKey: key) { _ in [UInt8(number & 0xFF)] }
          try store.batch { $0.set("", forKey: key, in: users) }
          if number % 100 == 0 {
            _ = try store.retrieve(forKeys: (0..<100).map { "\($0)" })
            _ = try store.keys()
            try users.removeAll()
            try store.sync()
          }
          try store.remove(forKey: key)
        }
      }
      try run(2_000)
      let before = Measures.heapByteCount ?? 0
      try run(20_000)
      // Compaction has memory of its own while it is under way.
      #expect(eventually { (Measures.heapByteCount ?? 0) - before < 250_000 })
      try store.close()
    }
  }
}
