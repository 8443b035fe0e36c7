/// How many images are made of a crash state, and of what kinds.
public struct CrashPlanOptions: Hashable, Sendable {
  /// Up to so many combinations, all of them are made: 4,096 are all subsets of twelve units.
  public var exhaustiveCountMax: Int
  /// How many random choices there are where it is not all combinations.
  public var randomCount: Int
  /// Whether sectors are also torn in the middle.
  public var tearsSectors: Bool
  /// What of a file is written back at once.
  public var granularity: Granularity
  /// The most choices for one state; where there were more, some are drawn by the seed.
  public var countMax: Int?

  /// What of a file is written back at once.
  public enum Granularity: Hashable, Sendable {
    /// Each sector of 512 bytes on its own.
    case sector
    /// Each page of 4,096 bytes as a whole, as the cache held it at some moment; what one call writes of a
    /// page is there as a whole or not at all.
    case page
  }

  /// Creates options; the values that are not given are those of the crash suite.
  public init(
    exhaustiveCountMax: Int = 4096, randomCount: Int = 64, tearsSectors: Bool = true,
    granularity: Granularity = .sector, countMax: Int? = nil
  ) {
    self.exhaustiveCountMax = exhaustiveCountMax
    self.randomCount = randomCount
    self.tearsSectors = tearsSectors
    self.granularity = granularity
    self.countMax = countMax
  }
}

/// The choices worth trying at one crash point.
///
/// Where all combinations of versions are few, they are all there. Elsewhere there are: all subsets of the
/// units if those are up to twelve; the page cache at every moment, in order of writing; all but one unit, and
/// one alone; each version in between, with the others new and with the others old; and random ones. Torn
/// sectors come in addition, again with the others new and with the others old, and several at random. A choice
/// is made when it is asked for, and the order depends on the history and the seed alone.
public struct CrashPlans: RandomAccessCollection, Sendable {
  private let layout: CrashPlanLayout
  private let recipes: [Recipe]

  /// A choice in few words.
  enum Recipe: Hashable, Sendable {
    case combination(Int)
    case subset(Int)
    case prefix(moment: Int)
    case version(group: Int, Int, others: Others)
    case tear(unit: Int, version: Int, SectorTear, others: Others)
    case random(seed: UInt64)
    /// The same, with some of the sectors torn.
    case torn(seed: UInt64)
  }

  /// What becomes of the units that a recipe does not speak of.
  enum Others: Hashable, Sendable {
    case new
    case old
  }

  init(_ units: [PendingUnit], _ options: CrashPlanOptions, seed: UInt64) {
    layout = CrashPlanLayout(units, options.granularity)
    var recipes = layout.recipes(options, seed: seed)
    if let countMax = options.countMax, recipes.count > countMax {
      var generator = SeededGenerator(seed: seed)
      recipes.shuffle(using: &generator)
      recipes.removeLast(recipes.count - Swift.max(0, countMax))
    }
    self.recipes = recipes
  }

  /// The position of the first choice.
  public var startIndex: Int { 0 }

  /// The position after the last choice.
  public var endIndex: Int { recipes.count }

  /// The choice at a position.
  public subscript(position: Int) -> CrashChoice {
    layout.choice(for: recipes[position])
  }
}

extension CrashState {
  /// The choices worth trying in this state; see `CrashPlans`.
  public func plans(_ options: CrashPlanOptions = CrashPlanOptions(), seed: UInt64 = 0) -> CrashPlans {
    CrashPlans(units, options, seed: SeededGenerator.derive(seed, point))
  }
}
