import Sediment
import Testing

/// Debug builds trap where a thread takes locks out of the order of their ranks, also if nobody else has them just then.
@Suite struct LockOrderTests {
  @Test func `Locks may be taken in the order of their ranks, and again once they were given back`() {
    let head = Locked(.head, 1)
    let writer = Locked(.writer, 2)
    for _ in 0..<2 {
      let sum = head.withLock { head in writer.withLock { writer in head + writer } }
      #expect(sum == 3)
    }
    #expect(writer.withLock { $0 } == 2)
    #expect(head.withLock { $0 } == 1)
  }

  @Test func `A lock may be tried out of its order, since that waits for nobody`() {
    let storing = Lock(.storing)
    let writer = Locked(.writer, 2)
    let isTaken = writer.withLock { _ in storing.tryLock() }
    #expect(isTaken)
    storing.unlock()
    #expect(writer.withLock { $0 } == 2)
  }

  #if DEBUG
    @Test func `A lock of an earlier rank is refused while one of a later rank is held`() async {
      await #expect(processExitsWith: .failure) {
        let head = Locked(.head, 1)
        let writer = Locked(.writer, 2)
        writer.withLock { _ in head.withLock { _ in } }
      }
    }

    @Test func `A lock is refused to a thread that has it, rather than waited for`() async {
      await #expect(processExitsWith: .failure) {
        let writer = Locked(.writer, 2)
        writer.withLock { _ in writer.withLock { _ in } }
      }
    }
  #endif
}
