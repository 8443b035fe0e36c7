internal import SedimentTesting

// The values of seeds; each follows from its numbers alone.

extension SeedStore {
  /// Bytes that nothing compresses.
  static func pattern(_ count: Int, _ seed: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(seed))
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  /// Text that zstd makes several times smaller.
  static func text(_ count: Int, _ seed: Int) -> [UInt8] {
    let words = ["delivered", "pending", "customer", "warehouse", "priority", "weekday"]
    var generator = SeededGenerator(seed: UInt64(seed))
    var text: [UInt8] = []
    while text.count < count {
      text += "\(words[Int.random(in: 0..<words.count, using: &generator)]) ".utf8
      text += "\(Int.random(in: 0..<1000, using: &generator)) ".utf8
    }
    return Array(text[..<count])
  }

  /// A small object of the same make for all numbers.
  static func object(_ number: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(number))
    let identifier = UInt64.random(in: 0...UInt64.max, using: &generator)
    return Array(
      """
      {"identifier":"\(String(identifier, radix: 16))","customer":{"name":"customer-\(number % 977)",\
      "mail":"user\(number % 977)@example.org"},"amount":\(identifier % 100_000),"currency":"EUR",\
      "createdAt":"2026-11-\(10 + number % 20)T1\(number % 10):22:07Z","isPaid":\(number % 2 == 0)}
      """.utf8)
  }
}
