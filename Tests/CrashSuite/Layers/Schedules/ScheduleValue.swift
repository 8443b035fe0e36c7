/// The values that threads of a schedule set: each tells its number, and is one of a kind.
enum ScheduleValue {
  /// How long values are: some of a slot, most of one, several, and with extents of their own.
  ///
  /// Those of one kind are as long as each other, so that a record comes to lie where another one of its key was. The
  /// last become short by the dictionary.
  static let byteCounts = [120, 3_904, 9_000, 15_800, 36_000, 140_000, 1_200]
  static let packedSize = 6

  /// What values of the packed size are parts of, but for their first bytes.
  static let dictionary = (0..<512).flatMap { place in
    unsafe withUnsafeBytes(of: dictionaryWord(place)) { unsafe [UInt8]($0) }
  }

  private static func dictionaryWord(_ place: Int) -> UInt64 {
    UInt64(truncatingIfNeeded: place & 255 | 256) &* 0x632B_E59B_D9B4_E019
  }

  /// A number that no other value has.
  static func number(thread: Int, count: Int, size: Int, expires: Bool = false) -> Int {
    (thread + 1) << 16 | count << 4 | (expires ? 8 : 0) | size
  }

  /// What a history has of a value: nothing of one that may expire at any time.
  static func noted(_ number: Int?) -> Int? { number.flatMap { $0 & 8 == 0 ? $0 : nil } }

  static func bytes(_ number: Int) -> [UInt8] {
    let count = byteCounts[number & 7]
    return unsafe [UInt8](unsafeUninitializedCapacity: count) { bytes, initializedCount in
      for place in 0..<count / 8 {
        unsafe bytes.baseAddress.unsafelyUnwrapped.advanced(by: 8 * place).withMemoryRebound(
          to: UInt64.self, capacity: 1
        ) { unsafe $0.initialize(to: word(place, of: number)) }
      }
      initializedCount = count
    }
  }

  /// Eight bytes of a value: the first are its number, and no others are in any other place or value.
  private static func word(_ place: Int, of number: Int) -> UInt64 {
    if place == 0 { return UInt64(number) }
    if number & 7 == packedSize { return dictionaryWord(place + 4 * (number >> 4)) }
    return (UInt64(number) << 20 | UInt64(place)) &* 0x9E37_79B9_7F4A_7C15
  }

  /// The number of a value; nil if nobody ever set it.
  static func number(of bytes: [UInt8]) -> Int? {
    guard bytes.count >= 8 else { return nil }
    return unsafe bytes.withUnsafeBytes { bytes in
      let number = Int(truncatingIfNeeded: unsafe bytes.loadUnaligned(as: UInt64.self))
      guard number > 0, number >> 44 == 0, byteCounts.indices.contains(number & 7),
        bytes.count == byteCounts[number & 7]
      else { return nil }
      var difference: UInt64 = 0
      for place in 1..<bytes.count / 8 {
        difference |=
          unsafe bytes.loadUnaligned(fromByteOffset: 8 * place, as: UInt64.self) ^ word(place, of: number)
      }
      return difference == 0 ? number : nil
    }
  }
}
