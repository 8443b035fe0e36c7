/// Sorts results that come one after the other, and keeps only those that will be among the first.
///
/// Results that are equal stay in the order in which they came.
struct SortRun<Result> {
  private let columns: [SortColumn<Result>]
  private let limit: Int
  private let keepsLast: Bool
  /// By place; where the limit is reached, the places in `heap` form a heap with the last of them on top.
  private var results: [Result] = []
  private var ordinals: [Int] = []
  private var heap: [Int] = []
  private var comingCount = 0

  /// A sort that keeps so many of the first; or, with `keepsLast`, of the last, as if the order were reversed.
  init(_ criteria: [any SortCriterion<Result>], limit: Int = .max, keepsLast: Bool = false) {
    columns = criteria.map { $0.column() }
    self.limit = limit
    self.keepsLast = keepsLast
  }

  /// Takes the next result.
  mutating func take(_ result: Result) {
    comingCount += 1
    if limit == 0 { return }
    if results.count < limit {
      for column in columns {
        column.look(at: result)
        column.keepCandidate(at: results.count)
      }
      results.append(result)
      ordinals.append(comingCount)
      if results.count == limit { makeHeap() }
    } else if isBetter(result, than: heap[0]) {
      let place = heap[0]
      // Of those columns that were not needed to see it, nothing has been looked at yet.
      for column in columns {
        column.look(at: result)
        column.keepCandidate(at: place)
      }
      results[place] = result
      ordinals[place] = comingCount
      siftDown(from: 0)
    }
  }

  /// The results in their order.
  func sorted() -> [Result] {
    let places = results.indices.sorted { isBefore($0, $1) }
    return (keepsLast ? places.reversed() : places).map { results[$0] }
  }

  /// Whether a result that has just come comes before one that is kept; where they are equal, it came later.
  private func isBetter(_ candidate: Result, than place: Int) -> Bool {
    for column in columns {
      column.look(at: candidate)
      let order = column.compareCandidate(with: place)
      if order != 0 { return keepsLast ? order > 0 : order < 0 }
    }
    return keepsLast
  }

  private func isBefore(_ left: Int, _ right: Int) -> Bool {
    for column in columns {
      let order = column.compare(left, with: right)
      if order != 0 { return keepsLast ? order > 0 : order < 0 }
    }
    return keepsLast ? ordinals[left] > ordinals[right] : ordinals[left] < ordinals[right]
  }

  // MARK: The heap

  private mutating func makeHeap() {
    heap = Array(results.indices)
    for place in stride(from: heap.count / 2, through: 0, by: -1) { siftDown(from: place) }
  }

  private mutating func siftDown(from start: Int) {
    var parent = start
    while true {
      var child = 2 * parent + 1
      guard child < heap.count else { return }
      if child + 1 < heap.count, isBefore(heap[child], heap[child + 1]) { child += 1 }
      guard isBefore(heap[parent], heap[child]) else { return }
      heap.swapAt(parent, child)
      parent = child
    }
  }
}
