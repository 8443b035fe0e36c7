/// Something by which results are sorted.
protocol SortCriterion<Result> {
  associatedtype Result
  /// A column for a new sort.
  func column() -> SortColumn<Result>
}

/// What one criterion needs to know of the results that a sort has, taken from each only once.
///
/// Results are known by their places. One more is looked at beside them: the candidate.
class SortColumn<Result> {
  /// Takes what it needs of a candidate.
  func look(at candidate: Result) {}

  /// Whether the candidate comes before the result at a place (below 0), behind it (above 0), or neither.
  func compareCandidate(with place: Int) -> Int { 0 }

  /// Puts the candidate at a place: one there is, or the next.
  func keepCandidate(at place: Int) {}

  /// How the results at two places stand to each other; see `compareCandidate`.
  func compare(_ left: Int, with right: Int) -> Int { 0 }
}

/// By a property that can be compared.
struct PropertyCriterion<Result, Property: Comparable>: SortCriterion {
  let keyPath: KeyPath<Result, Property>
  let isDescending: Bool

  func column() -> SortColumn<Result> {
    PropertyColumn(keyPath, isDescending: isDescending)
  }
}

private final class PropertyColumn<Result, Property: Comparable>: SortColumn<Result> {
  private let keyPath: KeyPath<Result, Property>
  private let isDescending: Bool
  private var kept: [Property] = []
  private var candidate: Property?

  init(_ keyPath: KeyPath<Result, Property>, isDescending: Bool) {
    self.keyPath = keyPath
    self.isDescending = isDescending
  }

  override func look(at candidate: Result) {
    self.candidate = candidate[keyPath: keyPath]
  }

  override func compareCandidate(with place: Int) -> Int {
    guard let candidate else { return 0 }
    return compare(candidate, kept[place])
  }

  override func keepCandidate(at place: Int) {
    guard let candidate else { return }
    if place == kept.count { kept.append(candidate) } else { kept[place] = candidate }
  }

  override func compare(_ left: Int, with right: Int) -> Int {
    compare(kept[left], kept[right])
  }

  @inline(__always)
  private func compare(_ left: Property, _ right: Property) -> Int {
    if left < right { return isDescending ? 1 : -1 }
    if right < left { return isDescending ? -1 : 1 }
    return 0
  }
}

/// By what a closure says.
struct ManualCriterion<Result>: SortCriterion {
  let comparator: (Result, Result) -> QueryCompareResult
  let isDescending: Bool

  func column() -> SortColumn<Result> {
    ManualColumn(comparator, isDescending: isDescending)
  }
}

private final class ManualColumn<Result>: SortColumn<Result> {
  private let comparator: (Result, Result) -> QueryCompareResult
  private let isDescending: Bool
  private var kept: [Result] = []
  private var candidate: Result?

  init(_ comparator: @escaping (Result, Result) -> QueryCompareResult, isDescending: Bool) {
    self.comparator = comparator
    self.isDescending = isDescending
  }

  override func look(at candidate: Result) {
    self.candidate = candidate
  }

  override func compareCandidate(with place: Int) -> Int {
    guard let candidate else { return 0 }
    return compare(candidate, kept[place])
  }

  override func keepCandidate(at place: Int) {
    guard let candidate else { return }
    if place == kept.count { kept.append(candidate) } else { kept[place] = candidate }
  }

  override func compare(_ left: Int, with right: Int) -> Int {
    compare(kept[left], kept[right])
  }

  private func compare(_ left: Result, _ right: Result) -> Int {
    switch comparator(left, right) {
    case .leftGreaterThanRight: isDescending ? -1 : 1
    case .leftLessThanRight: isDescending ? 1 : -1
    case .leftEqualWithRight: 0
    }
  }
}
