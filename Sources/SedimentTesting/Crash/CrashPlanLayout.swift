/// The units of a crash state, grouped by what is written back together.
struct CrashPlanLayout: Sendable {
  private let units: [PendingUnit]
  private let groups: [Group]

  /// Units that always show the cache as it was at one moment.
  private struct Group: Sendable {
    var units: [Int]
    var moments: [Int]
  }

  private static let subsetUnitCountMax = 12

  init(_ units: [PendingUnit], _ granularity: CrashPlanOptions.Granularity) {
    self.units = units
    var groups: [Group] = []
    var lastPage: (file: Int, page: Int)?
    for (index, unit) in units.enumerated() {
      guard granularity == .page, case .sector(let sector) = unit.kind else {
        groups.append(Group(units: [index], moments: unit.moments))
        continue
      }
      let page = sector / Geometry.sectorsPerBlock
      if let last = lastPage, last == (unit.file, page) {
        groups[groups.count - 1].units.append(index)
        groups[groups.count - 1].moments += unit.pageMoments
      } else {
        groups.append(Group(units: [index], moments: unit.pageMoments))
      }
      lastPage = (unit.file, page)
    }
    for index in groups.indices { groups[index].moments = Set(groups[index].moments).sorted() }
    self.groups = groups
  }

  /// The recipes for all choices, by the rules of `CrashPlans`.
  func recipes(_ options: CrashPlanOptions, seed: UInt64) -> [CrashPlans.Recipe] {
    var recipes: [CrashPlans.Recipe] = []
    if let count = combinationCount(max: options.exhaustiveCountMax) {
      recipes += (0..<count).map { .combination($0) }
    } else {
      recipes += selectedRecipes()
      var generator = SeededGenerator(seed: seed)
      recipes += (0..<options.randomCount).map { _ in .random(seed: generator.next()) }
    }
    guard options.tearsSectors else { return recipes }
    recipes += tearRecipes()
    var generator = SeededGenerator(seed: SeededGenerator.derive(seed, 1))
    recipes += (0..<options.randomCount / 4).map { _ in .torn(seed: generator.next()) }
    return recipes
  }

  /// The choice that a recipe stands for.
  func choice(for recipe: CrashPlans.Recipe) -> CrashChoice {
    switch recipe {
    case .combination(var number):
      return choice { group in
        defer { number /= group.moments.count + 1 }
        return number % (group.moments.count + 1)
      }
    case .subset(var bits):
      return choice { group in
        defer { bits >>= 1 }
        return bits & 1 == 0 ? 0 : group.moments.count
      }
    case .prefix(let moment):
      return CrashChoice(versions: units.map { Self.version(of: $0, at: moment) })
    case .version(let index, let version, let others):
      var result = all(others)
      set(groups[index], to: version, in: &result)
      return result
    case .tear(let unit, let version, let tear, let others):
      var result = all(others)
      result.versions[unit] = version
      result.tears[unit] = tear
      return result
    case .random(let seed):
      var generator = SeededGenerator(seed: seed)
      return random(using: &generator)
    case .torn(let seed):
      var generator = SeededGenerator(seed: seed)
      var result = random(using: &generator)
      for index in units.indices where Bool.random(using: &generator) {
        result.tears[index] = tear(of: index, result.versions[index], using: &generator)
      }
      return result
    }
  }

  private func random(using generator: inout SeededGenerator) -> CrashChoice {
    choice { group in
      let last = group.moments.count
      if Bool.random(using: &generator) { return Int.random(in: 0...last, using: &generator) }
      return Bool.random(using: &generator) ? 0 : last
    }
  }

  /// A tear of a version, over the settled contents or the version before; nil where none is possible.
  private func tear(
    of unit: Int, _ version: Int, using generator: inout SeededGenerator
  ) -> SectorTear? {
    let ranges = units[unit].writtenRanges
    guard version > 0, version <= ranges.count else { return nil }
    let range = ranges[version - 1]
    let cuts = stride(from: 64, to: Geometry.sectorByteCount, by: 64).filter {
      range.lowerBound < $0 && $0 < range.upperBound
    }
    guard let cut = cuts.randomElement(using: &generator) else { return nil }
    return SectorTear(newByteCount: cut, over: Bool.random(using: &generator) ? 0 : version - 1)
  }

  /// The number of combinations, if it is not above `max`.
  private func combinationCount(max: Int) -> Int? {
    var count = 1
    for group in groups {
      let (product, overflow) = count.multipliedReportingOverflow(by: group.moments.count + 1)
      guard !overflow, product <= max else { return nil }
      count = product
    }
    return count
  }

  private func selectedRecipes() -> [CrashPlans.Recipe] {
    var recipes: [CrashPlans.Recipe] = []
    if groups.count <= Self.subsetUnitCountMax {
      recipes += (0..<1 << groups.count).map { .subset($0) }
    }
    recipes += [.prefix(moment: 0)]
    recipes += groups.flatMap(\.moments).sorted().map { .prefix(moment: $0) }
    for (index, group) in groups.enumerated() {
      recipes += (0..<group.moments.count).map { .version(group: index, $0, others: .new) }
      recipes += (1...group.moments.count).map { .version(group: index, $0, others: .old) }
    }
    return recipes
  }

  /// Every tear at a multiple of 64 bytes, over the settled contents and over the version before.
  private func tearRecipes() -> [CrashPlans.Recipe] {
    var recipes: [CrashPlans.Recipe] = []
    for (index, unit) in units.enumerated() {
      for (version, range) in zip(1..., unit.writtenRanges) {
        for cut in stride(from: 64, to: Geometry.sectorByteCount, by: 64)
        where range.lowerBound < cut && cut < range.upperBound {
          for over in Set([0, version - 1]).sorted() {
            let tear = SectorTear(newByteCount: cut, over: over)
            recipes.append(.tear(unit: index, version: version, tear, others: .new))
            recipes.append(.tear(unit: index, version: version, tear, others: .old))
          }
        }
      }
    }
    return recipes
  }

  private func all(_ others: CrashPlans.Others) -> CrashChoice {
    CrashChoice(versions: units.map { others == .new ? $0.moments.count : 0 })
  }

  private func choice(_ version: (Group) -> Int) -> CrashChoice {
    var result = all(.old)
    for group in groups { set(group, to: version(group), in: &result) }
    return result
  }

  private func set(_ group: Group, to version: Int, in choice: inout CrashChoice) {
    let moment = version == 0 ? 0 : group.moments[version - 1]
    for unit in group.units { choice.versions[unit] = Self.version(of: units[unit], at: moment) }
  }

  /// How many of a unit's versions existed at a moment.
  private static func version(of unit: PendingUnit, at moment: Int) -> Int {
    var low = 0
    var high = unit.moments.count
    while low < high {
      let middle = (low + high) / 2
      if unit.moments[middle] <= moment { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
