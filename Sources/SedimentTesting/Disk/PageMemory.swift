internal import Synchronization

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// Memory of a page cache: where readers have it and, at another address if the system can do that, the disk.
///
/// What was used is kept for later: getting pages anew from the system takes many times as long as filling them with
/// zeros.
@safe
struct PageMemory: @unchecked Sendable {
  // Sendable: who takes it alone uses it, and says how far others may.
  let base: UnsafeMutableRawPointer
  let own: UnsafeMutableRawPointer
  let byteCount: Int

  /// Whether the disk reaches what readers must not touch.
  var isTwice: Bool { unsafe base != own }

  private struct Spare {
    let memory: PageMemory
    /// How many of its first bytes are not zero, perhaps.
    let touchedByteCount: Int
  }

  private static let spares = Mutex<[Spare]>([])
  private static let spareCountMax = 8
  /// More than this is given back to the system.
  private static let touchedByteCountMax = 4 << 20

  /// Memory that is zero, and that readers can reach only if it is not there twice; nil if the system has none.
  static func take(byteCount: Int) -> PageMemory? {
    let spare = spares.withLock { spares -> Spare? in
      spares.lastIndex { $0.memory.byteCount == byteCount }.map { spares.remove(at: $0) }
    }
    guard let spare else { return make(byteCount: byteCount) }
    unsafe memset(spare.memory.own, 0, spare.touchedByteCount)
    return spare.memory
  }

  /// Takes memory back of which so many first bytes were used, and which readers can reach as after `take`.
  func giveBack(touchedByteCount: Int) {
    let isKept = Self.spares.withLock { spares in
      guard touchedByteCount <= Self.touchedByteCountMax, spares.count < Self.spareCountMax else {
        return false
      }
      spares.append(Spare(memory: self, touchedByteCount: touchedByteCount))
      return true
    }
    if isKept { return }
    unsafe munmap(base, byteCount)
    if isTwice { unsafe munmap(own, byteCount) }
  }

  private static func make(byteCount: Int) -> PageMemory? {
    if let twice = makeTwice(byteCount: byteCount) { return twice }
    #if canImport(Darwin)
      let flags = MAP_PRIVATE | MAP_ANON | MAP_NORESERVE
    #else
      let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    #endif
    let start = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
    guard let start = unsafe start, unsafe start != MAP_FAILED else { return nil }
    return unsafe PageMemory(base: start, own: start, byteCount: byteCount)
  }

  private static func makeTwice(byteCount: Int) -> PageMemory? {
    #if os(Linux)
      // The call has more arguments for some flags, so the language cannot name it.
      typealias Remap = @convention(c) (UnsafeMutableRawPointer, Int, Int, CInt) -> UnsafeMutableRawPointer?
      let isKnown = unsafe dlsym(nil, "mremap").map { unsafe unsafeBitCast($0, to: Remap.self) }
      guard let remap = unsafe isKnown else { return nil }
      let flags = MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE
      let own = unsafe mmap(nil, byteCount, PROT_READ | PROT_WRITE, flags, -1, 0)
      guard let own = unsafe own, unsafe own != MAP_FAILED else { return nil }
      // Of shared memory none is moved: it is there a second time (the flag says that it may be anywhere).
      let mayMove: CInt = 1
      let base = unsafe remap(own, 0, byteCount, mayMove)
      if let base = unsafe base, unsafe base != MAP_FAILED {
        if unsafe mprotect(base, byteCount, PROT_NONE) == 0 {
          return unsafe PageMemory(base: base, own: own, byteCount: byteCount)
        }
        unsafe munmap(base, byteCount)
      }
      unsafe munmap(own, byteCount)
    #endif
    return nil
  }
}
