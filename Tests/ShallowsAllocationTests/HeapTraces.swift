import Foundation

/// Whether a closure allocated anything, by the traces that it leaves in the C library's heap.
///
/// The library keeps freed blocks of each size for the thread that freed them, and gives out the last one first; in
/// a free block it writes to the first 16 bytes alone. So blocks that are filled with a pattern and freed come back
/// unchanged only if nobody had them in between.
@safe
struct HeapTraces {
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
    defer { heap.end() }
    let object = HeapObject()
    return heap.sees { withExtendedLifetime(object.twin()) {} } && !heap.sees {}
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

  /// Gives its memory back.
  func end() { unsafe blocks.deallocate() }

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

/// An object, which takes memory of the heap.
final class HeapObject: Sendable {
  private let other: HeapObject?

  init(_ other: HeapObject? = nil) {
    self.other = other
  }

  /// Another one, whose memory the caller gives back.
  @inline(never)
  func twin() -> HeapObject { HeapObject(self) }
}
