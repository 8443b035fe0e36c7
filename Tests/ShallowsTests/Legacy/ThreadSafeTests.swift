import Foundation
import Shallows
import Testing

@Suite struct ThreadSafeTests {
  @Test func `The value is read, replaced and changed`() {
    var value = ThreadSafe([1])
    #expect(value.read() == [1])
    value.write([2])
    #expect(value.read() == [2])
    value.write(with: { $0.append(3) })
    #expect(value.read() == [2, 3])
  }

  @Test func `No change of many threads is lost`() {
    let counter = ThreadSafe(0)
    onThreads(8) { _ in
      // Copies share the value.
      var counter = counter
      for _ in 0..<2_000 {
        counter.write(with: { value in
          let old = value
          // Others have every chance to come in between.
          sched_yield()
          value = old + 1
        })
      }
    }
    #expect(counter.read() == 16_000)
  }

  @Test func `Copies share the value`() {
    let first = ThreadSafe(1)
    var second = first
    second.write(2)
    #expect(first.read() == 2)
  }
}
