import Sediment
import SedimentSupport
import Synchronization
import Testing

/// A cell whose content a writer replaces while readers follow the pointer to it.
private final class SharedCell: Sendable {
  static let wordCount = 8
  static let byteCount = wordCount * MemoryLayout<UInt64>.stride
  static let poison: UInt64 = 0xDEAD_DEAD_DEAD_DEAD

  let domain = ReaderDomain.make()
  let address: Atomic<UInt>
  let isDone = Atomic<Bool>(false)

  init() {
    address = Atomic(Self.block(of: 0))
  }

  deinit {
    unsafe Self.pointer(address.load(ordering: .relaxed)).deallocate()
  }

  /// A new block, all of whose words have this value.
  static func block(of value: UInt64) -> UInt {
    let block = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)
    // The words lie within the block.
    for word in 0..<wordCount { unsafe block.storeBytes(of: value, toByteOffset: word * 8, as: UInt64.self) }
    return UInt(bitPattern: block)
  }

  /// The block at an address that `block` returned.
  static func pointer(_ address: UInt) -> UnsafeMutableRawPointer {
    guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: address) else { fatalError("no block") }
    return unsafe pointer
  }

  /// Follows the pointer and returns how many words are not what the first one is, or were freed.
  func countWrongWords() -> Int {
    Readers.reading(domain) {
      let block = unsafe Self.pointer(address.load(ordering: .acquiring))
      let first = unsafe block.load(as: UInt64.self)
      var count = first == Self.poison ? 1 : 0
      // Backwards, so that the writer has time between.
      for word in (0..<Self.wordCount).reversed() {
        if unsafe block.load(fromByteOffset: word * 8, as: UInt64.self) != first { count += 1 }
      }
      return count
    }
  }

  /// Puts a block in the place of the one before, which is poisoned and freed once it may be.
  func replace(with value: UInt64, retiringInto list: RetiredList) {
    let old = address.exchange(Self.block(of: value), ordering: .acquiringAndReleasing)
    if value % 2 == 0 {
      unsafe list.retire(Self.pointer(old), byteCount: Self.byteCount)
    } else {
      list.retire(byteCount: Self.byteCount) {
        let old = unsafe Self.pointer(old)
        for word in 0..<Self.wordCount {
          unsafe old.storeBytes(of: Self.poison, toByteOffset: word * 8, as: UInt64.self)
        }
        unsafe old.deallocate()
      }
    }
  }
}

@Suite struct EpochStressTests {
  private func stress(readerCount: Int, replacementCount: UInt64) -> Int {
    let cell = SharedCell()
    let wrong = Counter()
    let started = Counter()
    let readers = (0..<readerCount).map { number in
      TestThread {
        started.add()
        var count = 0
        repeat {
          count += cell.countWrongWords()
          if number == 0 {
            // Scopes within scopes.
            count += Readers.reading(cell.domain) { cell.countWrongWords() + cell.countWrongWords() }
          }
        } while !cell.isDone.load(ordering: .relaxed)
        wrong.add(count)
      }
    }
    started.wait(for: readerCount)
    let list = RetiredList(of: cell.domain)
    for value in 1...replacementCount { cell.replace(with: value, retiringInto: list) }
    cell.isDone.store(true, ordering: .relaxed)
    for reader in readers { reader.join() }
    return wrong.value
  }

  @Test func `Readers never see what a writer freed`() {
    #expect(stress(readerCount: 4, replacementCount: 50_000) == 0)
  }

  @Test func `Readers that come and go never see what a writer freed`() {
    let cell = SharedCell()
    let wrong = Counter()
    let starter = TestThread {
      while !cell.isDone.load(ordering: .relaxed) {
        let readers = (0..<4).map { _ in
          TestThread {
            for _ in 0..<20 { wrong.add(cell.countWrongWords()) }
          }
        }
        for reader in readers { reader.join() }
      }
    }
    let list = RetiredList(of: cell.domain)
    for value in 1...20_000 { cell.replace(with: UInt64(value), retiringInto: list) }
    cell.isDone.store(true, ordering: .relaxed)
    starter.join()
    #expect(wrong.value == 0)
  }

  @Test func `A reader of another store that goes over to this one is seen in time`() {
    let cell = SharedCell()
    let other = ReaderDomain.make()
    let wrong = Counter()
    let readers = (0..<2).map { _ in
      TestThread {
        var count = 0
        while !cell.isDone.load(ordering: .relaxed) {
          count += Readers.reading(other) { cell.countWrongWords() }
        }
        wrong.add(count)
      }
    }
    let list = RetiredList(of: cell.domain)
    for value in 1...20_000 { cell.replace(with: UInt64(value), retiringInto: list) }
    cell.isDone.store(true, ordering: .relaxed)
    for reader in readers { reader.join() }
    #expect(wrong.value == 0)
  }

  @Test func `A reader whose announcement is slow to leave its processor is seen`() {
    let pair = SharedPair()
    let wrong = Counter()
    let reader = TestThread { wrong.add(pair.readBehindSlowStores()) }
    for _ in 0..<300_000 { pair.swap() }
    pair.isDone.store(true, ordering: .relaxed)
    reader.join()
    #expect(wrong.value == 0)
  }
}

/// Two numbers, one of which a reader may find; the other one is made wrong as soon as no reader holds it.
private final class SharedPair: Sendable {
  let isDone = Atomic<Bool>(false)
  private let domain = ReaderDomain.make()
  private let found = Atomic<Bool>(false)
  private let first = Atomic<Int>(0)
  private let second = Atomic<Int>(0)

  func swap() {
    let isSecond = found.load(ordering: .relaxed)
    store(0, inSecond: !isSecond)
    found.store(!isSecond, ordering: .releasing)
    let tag = Readers.advance()
    while !Readers.isPast(tag, in: domain) {}
    store(1, inSecond: isSecond)
  }

  private func store(_ number: Int, inSecond: Bool) {
    if inSecond { second.store(number, ordering: .relaxed) } else { first.store(number, ordering: .relaxed) }
  }

  /// Reads until it is done, and counts the wrong numbers found.
  ///
  /// Before each scope it stores to memory that no cache has, so that its announcement waits behind these
  /// stores while it reads on.
  func readBehindSlowStores() -> Int {
    var memory = [UInt8](repeating: 0, count: 64 << 20)
    var random: UInt32 = 1
    var wrong = 0
    while !isDone.load(ordering: .relaxed) {
      for _ in 0..<20 {
        random = random &* 1_664_525 &+ 1_013_904_223
        memory[Int(random >> 6)] = 1
      }
      wrong += Readers.reading(domain) {
        found.load(ordering: .acquiring) ? second.load(ordering: .relaxed) : first.load(ordering: .relaxed)
      }
    }
    return wrong
  }
}
