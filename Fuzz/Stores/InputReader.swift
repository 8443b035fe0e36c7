/// Takes an input apart into small numbers; behind its end they are all zero.
package struct InputReader {
  private var rest: ArraySlice<UInt8>

  package init(_ input: [UInt8]) {
    rest = input[...]
  }

  package var isAtEnd: Bool { rest.isEmpty }

  /// A number that every byte of what is left has a part in.
  package var hash: UInt64 {
    rest.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }

  package mutating func byte() -> UInt8 {
    rest.popFirst() ?? 0
  }

  /// A number of two bytes.
  package mutating func number() -> Int {
    let low = Int(byte())
    return low | Int(byte()) << 8
  }

  /// A number below `bound`, which takes as few bytes as there can be need for; 0 where nothing is below it.
  package mutating func number(below bound: Int) -> Int {
    let number = bound > 256 ? number() : Int(byte())
    return bound > 0 ? number % bound : 0
  }

  /// The next bytes, fewer at the end.
  package mutating func bytes(_ count: Int) -> [UInt8] {
    let taken = rest.prefix(count)
    rest = rest.dropFirst(count)
    return Array(taken)
  }
}
