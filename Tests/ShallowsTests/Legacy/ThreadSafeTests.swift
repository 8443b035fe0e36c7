import Foundation
import Shallows
import Testing

/// Threads that change one variable race for it by the rules of the language, here as with the original, though a lock
/// keeps them apart.
private let hasThreadSanitizer = unsafe dlsym(dlopen(nil, RTLD_NOW), "__tsan_init") != nil

@Suite struct ThreadSafeTests {
  @Test func `The value is read, replaced and changed`() {
    var value = ThreadSafe([1])
    #expect(value.read() == [1])
    value.write([2])
    #expect(value.read() == [2])
    value.write(with: { $0.append(3) })
    #expect(value.read() == [2, 3])
  }

  @Test(.disabled(if: hasThreadSanitizer, "The sanitizer goes by the rules."))
  func `No change of many threads is lost`() {
    let place = Place()
    onThreads(8) { _ in
      for _ in 0..<2_000 {
        place.counter.write(with: { value in
          let old = value
          // Others have every chance to come in between.
          sched_yield()
          value = old + 1
        })
      }
    }
    #expect(place.counter.read() == 16_000)
  }

  private final class Place: @unchecked Sendable {
    var counter = ThreadSafe(0)
  }

  @Test func `A copy has a value of its own`() {
    let first = ThreadSafe(1)
    var second = first
    second.write(2)
    #expect(first.read() == 1 && second.read() == 2)
  }
}
