/// The keys that several threads change at a time, and the values they give them.
///
/// A register is a key of its own. A group is several keys, of the store and of a collection, that only batches change,
/// all to one value or to none: whoever reads one of them reads the group, so it counts as one register, too.
package struct SharedRegisters: Sendable {
  package static let count = 24
  package static let groupCount = 6
  package static let memberCount = 24

  /// A key with the number of the register that it belongs to.
  package struct Place: Hashable, Sendable {
    package let register: Int
    package let key: String
    /// Whether it is one of the collection.
    package let isOfCollection: Bool
  }

  package static let places = (0..<count).map {
    Place(register: $0, key: "register \($0)", isOfCollection: $0 % 3 == 0)
  }

  package static let groups = (0..<groupCount).map { group in
    (0..<memberCount).map { member in
      Place(register: count + group, key: "member \(member) of \(group)", isOfCollection: member % 2 == 1)
    }
  }

  package static let allPlaces = places + groups.joined()
  package static let placesByKey = Dictionary(uniqueKeysWithValues: allPlaces.map { ($0.key, $0) })

  /// The value that a number stands for at a key: now and then a long one or one with a place of its own in the file.
  package static func value(_ number: Int, _ key: String) -> [UInt8] {
    let length =
      switch number % 400 {
      case 0: 140_000
      case 1..<12: 9_000
      default: 16 + number % 180
      }
    var word = UInt64(number)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(length + 8)
    while bytes.count < length {
      for shift in stride(from: 0, to: UInt64(64), by: 8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> shift))
      }
      word = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count) ^ UInt64(key.utf8.count) << 32
      if let first = key.utf8.last { word ^= UInt64(first) << 48 }
    }
    return bytes
  }

  /// The number that a key's value stands for; throws if nobody ever gave it that value.
  package static func number(of value: [UInt8]?, _ key: String) throws -> Int? {
    guard let value else { return nil }
    var number = 0
    for (place, byte) in value.prefix(8).enumerated() { number |= Int(byte) << (8 * place) }
    guard number > 0, Self.value(number, key) == value else {
      throw CrashContradiction(description: "'\(key)' has \(value.count) bytes that nobody wrote")
    }
    return number
  }
}
