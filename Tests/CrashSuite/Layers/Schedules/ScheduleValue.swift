/// The values that threads of a schedule set: each tells its number, and is one of a kind.
enum ScheduleValue {
  /// How long values are: some of a slot, most of one, several, and with extents of their own.
  ///
  /// Those of one kind are as long as each other, so that a record comes to lie where another one of its key was.
  static let byteCounts = [120, 3_900, 9_000, 15_800, 36_000, 140_000]

  /// A number that no other value has.
  static func number(thread: Int, count: Int, size: Int, expires: Bool = false) -> Int {
    (thread + 1) << 16 | count << 4 | (expires ? 8 : 0) | size
  }

  /// What a history has of a value: nothing of one that may expire at any time.
  static func noted(_ number: Int?) -> Int? { number.flatMap { $0 & 8 == 0 ? $0 : nil } }

  static func bytes(_ number: Int) -> [UInt8] {
    let count = byteCounts[number & 7]
    var state = UInt64(number)
    let words = unsafe [UInt64](unsafeUninitializedCapacity: (count + 7) / 8) { words, initializedCount in
      initializedCount = (count + 7) / 8
      for place in 0..<initializedCount {
        state = state &* 0x9E37_79B9_7F4A_7C15 &+ 0x632B_E59B_D9B4_E019
        unsafe words.initializeElement(at: place, to: state)
      }
      unsafe words[0] = UInt64(number)
    }
    return unsafe words.withUnsafeBytes { unsafe [UInt8]($0.prefix(count)) }
  }

  /// The number of a value; nil if nobody ever set it.
  static func number(of bytes: [UInt8]) -> Int? {
    guard bytes.count >= 8 else { return nil }
    let number = Int(
      truncatingIfNeeded: unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt64.self) })
    guard number > 0, byteCounts.indices.contains(number & 7), Self.bytes(number) == bytes else { return nil }
    return number
  }
}
