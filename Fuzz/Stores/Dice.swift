internal import SedimentTesting

/// Draws numbers from a seed, or from the input of a fuzzer.
package struct Dice {
  private let draw: (Int) -> Int

  package init(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    draw = { Int(generator.next() % UInt64($0)) }
  }

  /// Takes an input apart; behind its end all numbers are zero.
  package init(_ input: InputReader) {
    var reader = input
    draw = { reader.number(below: $0) }
  }

  /// A number below a bound of at least 1.
  package func number(below bound: Int) -> Int { draw(bound) }

  /// Whether one of so many cases has come.
  package func isOne(of count: Int) -> Bool { draw(count) == 0 }

  package func word() -> UInt64 {
    (0..<8).reduce(0) { word, _ in word << 8 | UInt64(draw(256)) }
  }

  /// An element of a list that is not empty.
  package func element<List: RandomAccessCollection>(of list: List) -> List.Element {
    list[list.index(list.startIndex, offsetBy: draw(list.count))]
  }
}
