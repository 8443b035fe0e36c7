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
      let values = (0..<1_001).map { _ in Ending {} }
      let storage = LRUStorage<String, Ending>(
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

extension Ending {
  /// Another one, whose memory the caller gives back.
  @inline(never)
  func twin() -> Ending {
    Ending { _ = self }
  }
}

/// Sees whether something was allocated by what it leaves in memory.
///
/// The library keeps freed blocks of each size for the thread that freed them, and gives out the last one first; in
/// a free block it writes to the first 16 bytes alone. So blocks that are filled with a pattern and freed come back
/// unchanged only if nobody had them in between.
@safe
private struct HeapTraces {
  // By pointers, for the compiler knows that nothing is left of freed memory.
  private typealias Allocate = @convention(c) (Int) -> UnsafeMutableRawPointer?
  private typealias Free = @convention(c) (UnsafeMutableRawPointer?) -> Void

  private let allocate: Allocate
  private let free: Free
  private let byteCounts = Array(stride(from: 24, through: 1_032, by: 16))
  private let blocks: UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>

  /// Whether this works here: not with another library, nor with a sanitizer.
  static var areSeen: Bool {
    guard let heap = HeapTraces() else { return false }
    let ending = Ending {}
    return heap.sees { withExtendedLifetime(ending.twin()) {} } && !heap.sees {}
  }

  init?() {
    let library = unsafe dlopen(nil, RTLD_NOW)
    guard let allocate = unsafe dlsym(library, "malloc"), let free = unsafe dlsym(library, "free") else {
      return nil
    }
    // The library's functions of these names have these types.
    unsafe self.allocate = unsafe unsafeBitCast(allocate, to: Allocate.self)
    unsafe self.free = unsafe unsafeBitCast(free, to: Free.self)
    unsafe blocks = .allocate(capacity: byteCounts.count)
    unsafe blocks.initialize(repeating: nil)
  }

  /// Whether the body allocates, on this thread.
  func sees(_ body: () -> Void) -> Bool {
    for (number, byteCount) in byteCounts.enumerated() {
      let block = unsafe allocate(byteCount)
      unsafe block?.initializeMemory(as: UInt8.self, repeating: 0xA5, count: byteCount)
      unsafe blocks[number] = block
    }
    for number in byteCounts.indices { unsafe free(blocks[number]) }
    body()
    var isChanged = false
    for (number, byteCount) in byteCounts.enumerated() {
      let block = unsafe allocate(byteCount)
      let bytes = unsafe UnsafeRawBufferPointer(start: block, count: byteCount)
      if unsafe block != blocks[number] || !bytes[16...].allSatisfy({ $0 == 0xA5 }) { isChanged = true }
      unsafe blocks[number] = block
    }
    for number in byteCounts.indices { unsafe free(blocks[number]) }
    return isChanged
  }
}
