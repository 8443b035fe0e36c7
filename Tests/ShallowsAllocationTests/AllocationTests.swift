import Foundation
import Sediment
import Shallows
import Testing

/// That calls of storages allocate nothing, in optimized builds, where the compiler builds them for their types.
@Suite struct AllocationTests {
  @Test(
    .enabled(if: HeapTraces.areSeen, "This library does not show what was allocated."),
    .disabled(if: _isDebugAssertConfiguration(), "Generic code allocates unless it is optimized."))
  func
    `What is in memory, and what is nowhere, is told by callbacks and returning calls without an allocation`()
    async
  {
    await #expect(processExitsWith: .success) {
      let keys = (0..<100).map { "the long name of a key, number \($0)" }
      let others = keys.map { $0 + ", which has no value" }
      let file = FileManager.default.temporaryDirectory.appendingPathComponent(
        "allocations-\(UUID().uuidString).sediment")
      defer { try? FileManager.default.removeItem(at: file) }
      let store = try SedimentStore(url: file)
      let cache = LRUStorage<String, Int>(capacity: .count(1_000))
      let front = LRUStorage<String, Data>(capacity: .count(1_000))
      let log = SedimentStorage(store).usingStringKeys()
      let combined = front.combined(with: log)
      let closures = Storage<String, Int>(
        storageName: "closures", retrieve: { $1(.success($0.utf8.count)) }, set: { $2(.success(())) })
      for (number, key) in keys.enumerated() {
        cache.set(number, forKey: key) { _ in }
        combined.set(Data(repeating: 7, count: 100), forKey: key) { _ in }
      }
      let (cacheSync, combinedSync) = (cache.makeSyncStorage(), combined.makeSyncStorage())
      let heap = try #require(HeapTraces())
      func expectNone(_ name: Comment, _ body: () throws -> Void) throws {
        // Once before, for what the runtime makes at first use; and again if something was seen, since threads of the
        // background may allocate at that moment.
        try body()
        let isSeen = (0..<3).allSatisfy { _ in heap.sees { try? body() } }
        #expect(!isSeen, name)
      }
      try expectNone("a hit of the memory layer") { for key in keys { cache.retrieve(forKey: key) { _ in } } }
      try expectNone("the same, returned") { for key in keys { _ = try cacheSync.retrieve(forKey: key) } }
      try expectNone("a set in the memory layer") { for key in keys { cache.set(1, forKey: key) { _ in } } }
      try expectNone("a hit before the log") { for key in keys { combined.retrieve(forKey: key) { _ in } } }
      try expectNone("the same, returned") { for key in keys { _ = try combinedSync.retrieve(forKey: key) } }
      try expectNone("a miss of the log") { for key in others { log.retrieve(forKey: key) { _ in } } }
      try expectNone("a miss of both") { for key in others { combined.retrieve(forKey: key) { _ in } } }
      try expectNone("a removal of nothing") { for key in others { log.remove(forKey: key) { _ in } } }
      try expectNone("closures of a user's") { for key in keys { closures.retrieve(forKey: key) { _ in } } }
      try expectNone("the same, set") { for key in keys { closures.set(1, forKey: key) { _ in } } }
      // The data that is given back, which shows that allocations are seen.
      #expect(heap.sees { log.retrieve(forKey: keys[0]) { _ in } })
      try store.close()
    }
  }
}
