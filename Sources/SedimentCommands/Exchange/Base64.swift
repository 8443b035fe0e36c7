/// Bytes as the letters of Base64, with its padding.
enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
  private static let padding = UInt8(ascii: "=")

  /// The number of each letter; 255 for what is none.
  private static let numbers: [UInt8] = {
    var numbers = [UInt8](repeating: 255, count: 256)
    for (number, letter) in letters.enumerated() { numbers[Int(letter)] = UInt8(number) }
    return numbers
  }()

  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var place = 0
    while place < bytes.count {
      let count = min(bytes.count - place, 3)
      let group =
        UInt32(bytes[place]) << 16 | UInt32(count > 1 ? bytes[place + 1] : 0) << 8
        | UInt32(count > 2 ? bytes[place + 2] : 0)
      for number in 0..<4 {
        let isPadding = number > count
        text.append(isPadding ? padding : letters[Int(group >> UInt32(18 - 6 * number) & 63)])
      }
      place += 3
    }
    return text
  }

  /// The bytes of a text; nil if it is not Base64 as `encode` writes it.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 4 == 0 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 4 * 3)
    var group: UInt32 = 0
    var count = 0
    var paddingCount = 0
    for letter in text {
      if letter == padding {
        paddingCount += 1
        guard paddingCount <= 2, count % 4 >= 2 else { return nil }
        group <<= 6
      } else {
        let number = numbers[Int(letter)]
        guard number != 255, paddingCount == 0 else { return nil }
        group = group << 6 | UInt32(number)
      }
      count += 1
      guard count % 4 == 0 else { continue }
      let three = [
        UInt8(truncatingIfNeeded: group >> 16), UInt8(truncatingIfNeeded: group >> 8),
        UInt8(truncatingIfNeeded: group),
      ]
      bytes += three.prefix(3 - paddingCount)
      // Bits that nothing needs are zeros.
      guard three.suffix(paddingCount).allSatisfy({ $0 == 0 }) else { return nil }
      group = 0
    }
    return bytes
  }
}
