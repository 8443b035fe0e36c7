internal import MachineLimits

/// The words of ``TextBlocks``.
enum TextWords {
  /// So many words, the most common one in front, each in small letters.
  static func all(count: Int) -> [[UInt8]] {
    var random = SplitMix64(seed: 91)
    var words = common.split(separator: " ").map { Array($0.utf8) }
    var known = Set(words)
    while words.count < count {
      let word = (0..<Int.random(in: 2...4, using: &random)).flatMap { _ in syllable(&random) }
      if known.insert(word).inserted { words.append(word) }
    }
    return words
  }

  private static func syllable(_ random: inout SplitMix64) -> [UInt8] {
    [onsets, vowels, codas].flatMap { $0[Int.random(in: 0..<$0.count, using: &random)].utf8 }
  }

  private static let onsets = [
    "b", "c", "d", "f", "g", "h", "l", "m", "n", "p", "r", "s", "t", "v", "st", "tr", "pl", "gr", "ch", "sh",
  ]
  private static let vowels = ["a", "e", "i", "o", "u", "e", "a", "i", "ea", "ou"]
  private static let codas = ["", "", "", "n", "r", "l", "s", "t", "m", "nd", "ck", "st"]
  private static let common = """
    the of and to in a is that for it was on are as with be this at by from or have an not they which one you were \
    all their there been has when who will more if no out so what up said its about than into them can only other \
    time new some could these two may then do first any my now such like our over even most made after also did \
    many before must through years where much your way well down should because long each just state those people \
    too little world good year work between life being under day home water last great right place while found
    """
}
