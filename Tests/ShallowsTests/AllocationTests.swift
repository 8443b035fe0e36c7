import Foundation
import Sediment
import Shallows
import Testing

/// That calls of storages allocate nothing, in optimized builds, where the compiler builds them for their types.
@Suite struct AllocationTests {
  @Test(
    .enabled(if: HeapTraces.areSeen, "This library does not show what was allocated."),
    .disabled(if: _isDebugAssertConfiguration(), "Generic code allocates unless it is optimized."))
  func `What is in memory goes through callbacks, compositions and returning calls without an allocation`()
    async
  {
    await #expect(processExitsWith: .success) {
      let keys = (0..<100).map { "the long name of a key, number \($0)" }
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(
        "allocations-\(UUID().uuidString).sediment")
      defer { try? FileManager.default.removeItem(at: file) }
      let store = try SedimentStore(url: file)
      let memory = MemoryStorage<String, Int>()
      let cache = LRUStorage<String, Int>(capacity: .count(1_000))
      let front = LRUStorage<String, Data>(capacity: .count(1_000))
      let log = SedimentStorage(store).usingStringKeys()
      let combined = front.combined(with: log)
      let zipped = zip(memory, cache)
      for (number, key) in keys.enumerated() {
        memory.set(number, forKey: key) { _ in }
        cache.set(number, forKey: key) { _ in }
        combined.set(Data(repeating: 7, count: 100), forKey: key) { _ in }
      }
      let (cacheSync, combinedSync, zippedSync) = (
        cache.makeSyncStorage(), combined.makeSyncStorage(), zipped.makeSyncStorage()
      )
      let heap = try #require(HeapTraces())
      func expectNone(_ name: Comment, _ body: () throws -> Void) throws {
        // Once before, for what the runtime makes at first use.
        try body()
        let isSeen = heap.sees { try? body() }
        #expect(!isSeen, name)
      }
      try expectNone("a hit of the memory layer") { for key in keys { cache.retrieve(forKey: key) { _ in } } }
      try expectNone("the same, returned") { for key in keys { _ = try cacheSync.retrieve(forKey: key) } }
      try expectNone("a set in the memory layer") { for key in keys { cache.set(1, forKey: key) { _ in } } }
      try expectNone("a hit before the log") { for key in keys { combined.retrieve(forKey: key) { _ in } } }
      try expectNone("the same, returned") { for key in keys { _ = try combinedSync.retrieve(forKey: key) } }
      try expectNone("a hit of a zip") { for key in keys { zipped.retrieve(forKey: key) { _ in } } }
      try expectNone("the same, returned") { for key in keys { _ = try zippedSync.retrieve(forKey: key) } }
      // The data that is given back, which shows that allocations are seen.
      #expect(heap.sees { log.retrieve(forKey: keys[0]) { _ in } })
      try store.close()
    }
  }
}
