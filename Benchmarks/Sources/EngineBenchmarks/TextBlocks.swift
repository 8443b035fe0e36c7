internal import MachineLimits
internal import StoreComparison

/// Blocks of running text, such as articles or pages have: words as common as those of a language, in sentences.
///
/// All follow from the seed. The few words that every second one is of are English; the many rare ones are made up, and
/// what a block speaks of it speaks of again.
package struct TextBlocks {
  private static let vocabulary = TextWords.all(count: 3000)

  /// How often of a hundred words one is said again that was said in the block already.
  private static let repetition = 10

  private let byteCount: Int
  private var ranks: Zipf
  private var random: SplitMix64

  /// Blocks of so many bytes each.
  package init(byteCount: Int, seed: UInt64) {
    self.byteCount = byteCount
    ranks = Zipf(count: TextBlocks.vocabulary.count, seed: seed)
    random = SplitMix64(seed: ~seed)
  }

  /// The next block; it ends where it is full.
  package mutating func next() -> [UInt8] {
    var text: [UInt8] = []
    var said: [Int] = []
    text.reserveCapacity(byteCount + 512)
    while text.count < byteCount { appendSentence(to: &text, &said) }
    text.removeLast(text.count - byteCount)
    return text
  }

  private mutating func appendSentence(to text: inout [UInt8], _ said: inout [Int]) {
    let start = text.count
    let count = number(4...24)
    for place in 1...count {
      said.append(rank(said))
      text += TextBlocks.vocabulary[said[said.count - 1]]
      if place < count { text += (number(1...12) == 1 ? ", " : " ").utf8 }
    }
    text[start] -= UInt8(ascii: "a") - UInt8(ascii: "A")
    text += (number(1...15) == 1 ? "?" : ".").utf8
    text += (number(1...6) == 1 ? "\n" : " ").utf8
  }

  private mutating func rank(_ said: [Int]) -> Int {
    guard let last = said.indices.last, number(1...100) <= TextBlocks.repetition else { return ranks.next() }
    return said[number(0...last)]
  }

  private mutating func number(_ range: ClosedRange<Int>) -> Int {
    Int.random(in: range, using: &random)
  }
}
