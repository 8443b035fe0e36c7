import Foundation
import Shallows
import Testing

/// What calls allocate, seen by its traces, in a process of its own.
@Suite struct LRUAllocationTests {
  @Test(
    .enabled(if: HeapTraces.areSeen, "This library does not show what was allocated."),
    .disabled(if: _isDebugAssertConfiguration(), "Generic code allocates unless it is optimized."))
  func `A hit allocates nothing, nor does a new value of an old key, nor one that evicts another`() async {
    await #expect(processExitsWith: .success) {
      let keys = (0..<1_001).map { "the long name of a key, number \($0)" }
      let values = (0..<1_001).map { _ in HeapObject() }
      let storage = LRUStorage<String, HeapObject>(
        capacity: .count(1_000, cost: 5_000) { key, _ in key.utf8.count / 10 })
      for number in 0..<1_000 { storage.insert(values[number], forKey: keys[number]) }
      let heap = try #require(HeapTraces())
      func expectNone(_ name: Comment, _ body: () -> Void) {
        // Once before, for what the runtime makes at first use.
        body()
        let isSeen = heap.sees(body)
        #expect(!isSeen, name)
      }
      expectNone("hits") { for key in keys { _ = storage.value(forKey: key) } }
      expectNone("looks") { for key in keys { _ = storage.peek(forKey: key) } }
      expectNone("replacing") {
        for number in 0..<1_000 { storage.insert(values[number], forKey: keys[number]) }
      }
      expectNone("updating") {
        for number in 0..<1_000 { storage.modifyValue(forKey: keys[number]) { $0 = values[number] } }
      }
      expectNone("evicting") {
        for number in 0..<1_001 { storage.insert(values[number], forKey: keys[number]) }
      }
      expectNone("removing and inserting") {
        for number in 0..<1_000 {
          storage.removeValue(forKey: keys[number])
          storage.insert(values[number], forKey: keys[number])
        }
      }
    }
  }
}
