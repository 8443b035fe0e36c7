import Foundation
import Sediment
import Testing

/// Threads that set and read values while dictionaries are trained.
@Suite struct CompressionConcurrencyTests {
  @Test func `Threads set and read while dictionaries come and go`() throws {
    let directory = try StoreDirectory()
    let store = try SedimentStore(
      path: directory["store"], options: SedimentOptions(durability: .interval(.milliseconds(5))))
    let count = hasThreadSanitizer ? 2_000 : 8_000
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<count {
        let key = "\(thread) \(number)"
        // Their make changes half way.
        let value = number < count / 2 ? Samples.json(number) : Samples.record(number)
        try! store.set(value, forKey: key)
        let other = Int.random(in: 0...number)
        let expected = other < count / 2 ? Samples.json(other) : Samples.record(other)
        #expect(same(try! store.retrieve(forKey: "\(thread) \(other)"), expected))
        if thread == 0, number % (count / 4) == count / 8 { try! store.compact() }
      }
    }
    #expect(store.statistics.dictionaryCount >= 1)
    #expect(store.statistics.liveKeyCount == 4 * count)
    try store.close()
    let again = try SedimentStore(path: directory["store"])
    for thread in 0..<4 {
      for number in stride(from: 0, to: count, by: 13) {
        let expected = number < count / 2 ? Samples.json(number) : Samples.record(number)
        #expect(try same(again.retrieve(forKey: "\(thread) \(number)"), expected))
      }
    }
    try again.close()
  }
}
