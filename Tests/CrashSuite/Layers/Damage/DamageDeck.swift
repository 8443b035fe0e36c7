/// All damages to all files, dealt from the piles in turn for as long as each has some: so a part of them has as much
/// of the rare kinds as of the others.
struct DamageDeck: Sendable {
  let samples: [DamageSample]
  let count: Int
  /// The smallest first.
  private let piles: [Pile]

  private struct Pile: Sendable {
    var sample: Int
    var pile: DamagePile
  }

  init() throws {
    samples = try DamageSample.all()
    piles = samples.enumerated().flatMap { number, sample in
      sample.piles.filter { $0.count > 0 }.map { Pile(sample: number, pile: $0) }
    }.sorted { $0.pile.count < $1.pile.count }
    count = piles.reduce(0) { $0 + $1.pile.count }
  }

  /// The damage of a number; after all of them they come again.
  func damage(_ number: UInt64) -> (sample: DamageSample, damage: FileDamage) {
    var rest = Int(number % UInt64(count))
    var dealt = 0
    for first in piles.indices {
      // Until the smallest pile that is left is empty, one of each comes in turn.
      let turnCount = piles[first].pile.count - dealt
      let active = piles.count - first
      if rest < turnCount * active {
        let pile = piles[first + rest % active]
        return (samples[pile.sample], pile.pile.damage(dealt + rest / active))
      }
      rest -= turnCount * active
      dealt += turnCount
    }
    preconditionFailure("the numbers below the count are those of the piles")
  }
}
