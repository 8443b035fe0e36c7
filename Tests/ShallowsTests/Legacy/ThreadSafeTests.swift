import Foundation
import Shallows
import Testing

@Suite struct ThreadSafeTests {
  /// As it is used: a property that many threads come to.
  private final class Counter: @unchecked Sendable {
    var value = ThreadSafe(0)
  }

  @Test func `The value is read, replaced and changed`() {
    var value = ThreadSafe([1])
    #expect(value.read() == [1])
    value.write([2])
    #expect(value.read() == [2])
    value.write(with: { $0.append(3) })
    #expect(value.read() == [2, 3])
  }

  @Test func `No change of many threads is lost`() {
    let counter = Counter()
    onThreads(8) { _ in
      for _ in 0..<2_000 {
        counter.value.write(with: { value in
          let old = value
          // Others have every chance to come in between.
          sched_yield()
          value = old + 1
        })
      }
    }
    #expect(counter.value.read() == 16_000)
  }

  @Test func `Copies share the value`() {
    let first = ThreadSafe(1)
    var second = first
    second.write(2)
    #expect(first.read() == 2)
  }
}
