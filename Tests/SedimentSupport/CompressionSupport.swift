import Sediment
import SedimentTesting
import Testing

/// Values as stores have them.
package enum Samples {
  private static let cities = ["Lisbon", "Oslo", "Vienna", "Kyoto", "Nairobi", "Quito", "Perth", "Turin"]
  private static let words = [
    "delivered", "pending", "customer", "warehouse", "priority", "weekday", "return", "express", "order",
    "standard",
  ]

  /// A small JSON object: of the same make for all numbers, and different for each.
  package static func json(_ number: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(number) &+ 17)
    let city = cities[Int.random(in: 0..<cities.count, using: &generator)]
    let tags = (0..<Int.random(in: 1...4, using: &generator))
      .map { _ in "\"\(words[Int.random(in: 0..<words.count, using: &generator)])\"" }.joined(separator: ",")
    let amount = Int.random(in: 100...99_999, using: &generator)
    let identifier = UInt64.random(in: 0...UInt64.max, using: &generator)
    return Array(
      """
      {"identifier":"\(String(identifier, radix: 16))","customer":{"name":"customer-\(number % 977)",\
      "mail":"user\(number % 977)@example.org","city":"\(city)"},"amount":\(amount),"currency":"EUR",\
      "tags":[\(tags)],"createdAt":"2026-11-\(10 + number % 20)T1\(number % 10):22:07Z","isPaid":\(amount % 2 == 0)}
      """.utf8)
  }

  /// Small values of quite another make.
  package static func record(_ number: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(number) &+ 99)
    let level = ["WARN ", "INFO ", "ERROR", "DEBUG"][Int.random(in: 0..<4, using: &generator)]
    let thread = Int.random(in: 1...64, using: &generator)
    let duration = Int.random(in: 1...90_000, using: &generator)
    let path = words[Int.random(in: 0..<words.count, using: &generator)]
    return Array(
      """
      2026-11-22 0\(number % 10):\(10 + number % 50):07.\(number % 1000) \(level) [worker-thread-\(thread)] \
      org.example.gateway.RequestHandler - GET /api/v2/\(path)/\(number) finished with status 200 after \
      \(duration) microseconds, cache=miss, retries=0
      """.utf8)
  }

  /// Text that zstd makes two to four times smaller.
  package static func text(_ byteCount: Int, _ seed: Int = 0) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(seed) &+ 5)
    var text: [UInt8] = []
    text.reserveCapacity(byteCount + 16)
    while text.count < byteCount {
      text += words[Int.random(in: 0..<words.count, using: &generator)].utf8
      text += "\(Int.random(in: 0..<1000, using: &generator)) ".utf8
    }
    return Array(text[..<byteCount])
  }
}

extension StoreFixture {
  /// Sets JSON values until a dictionary was trained for the collection without a name; how many.
  @discardableResult
  package func setUntilTrained(from first: Int = 0) throws -> Int {
    let count = store.statistics.dictionaryCount
    for number in first..<first + 5_000 {
      try store.set(Samples.json(number), forKey: "\(number)")
      if number % 50 == 49 {
        scheduler.runDue()
        if store.statistics.dictionaryCount > count { return number + 1 - first }
      }
    }
    Issue.record("no dictionary was trained")
    return 5_000
  }

  /// Sets values of two makes, JSON and then so many records, and lets a dictionary be trained for each of them; the
  /// first 1,500 JSON values need the older one.
  package func setTwoMakes(recordCount: Int) throws {
    let trained = try setUntilTrained()
    for number in 0..<max(trained, 1_500) { try store.set(Samples.json(number), forKey: "\(number)") }
    for number in 0..<recordCount {
      try store.set(Samples.record(number), forKey: "record \(number)")
      if number % 50 == 0 { scheduler.runDue() }
    }
    #expect(store.statistics.dictionaryCount == 2)
  }

  /// Compares keys with what `setUntilTrained` and its like have set.
  package func checkJSON(_ numbers: some Sequence<Int>) throws {
    for number in numbers {
      #expect(try same(store.retrieve(forKey: "\(number)"), Samples.json(number)), "\(number)")
    }
  }
}
