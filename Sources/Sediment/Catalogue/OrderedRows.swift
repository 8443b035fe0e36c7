/// Elements in an order that they bring along, in rows of bounded length, so that what a change moves does not grow with
/// their number: a file may name as many as it has room for, in the worst order.
package struct OrderedRows<Element: Sendable>: Sendable {
  /// None of them is empty.
  package private(set) var rows: [[Element]] = []
  package private(set) var count = 0

  /// Where an element stands, or where one is to be inserted.
  struct Place {
    var row: Int
    var index: Int
  }

  /// A row takes so many elements.
  private let rowCountMax: Int

  init(rowCountMax: Int) {
    self.rowCountMax = rowCountMax
  }

  /// The most elements and rows that a change moves.
  var moveCountMax: Int { rows.count + rowCountMax }

  var last: Element? { rows.last?.last }

  subscript(place: Place) -> Element? {
    place.row < rows.count ? rows[place.row][place.index] : nil
  }

  /// The place of the first element for which something holds that holds for all behind it, too; behind all if there is
  /// none.
  func firstPlace(where isBehind: (Element) -> Bool) -> Place {
    // Mostly something new comes behind all.
    guard let last, isBehind(last) else { return Place(row: rows.count, index: 0) }
    let row = rows.firstIndexByHalving { isBehind($0[$0.count - 1]) }
    return Place(row: row, index: rows[row].firstIndexByHalving(where: isBehind))
  }

  mutating func insert(_ element: Element, at place: Place) {
    var place = place
    if place.row == rows.count {
      if rows.last.map({ $0.count == rowCountMax }) ?? true { appendRow() }
      place = Place(row: rows.count - 1, index: rows[rows.count - 1].count)
    } else if rows[place.row].count == rowCountMax {
      let half = rowCountMax / 2
      rows.insert(Array(rows[place.row][half...]), at: place.row + 1)
      rows[place.row].removeLast(rowCountMax - half)
      if place.index > half { place = Place(row: place.row + 1, index: place.index - half) }
    }
    rows[place.row].insert(element, at: place.index)
    count += 1
  }

  mutating func remove(at place: Place) {
    rows[place.row].remove(at: place.index)
    if rows[place.row].isEmpty { rows.remove(at: place.row) }
    count -= 1
  }

  /// Changes an element, which keeps its place.
  mutating func update(at place: Place, _ change: (inout Element) -> Void) {
    change(&rows[place.row][place.index])
  }

  private mutating func appendRow() {
    var row: [Element] = []
    // The first row may stay short.
    if !rows.isEmpty { row.reserveCapacity(rowCountMax) }
    rows.append(row)
  }
}

extension OrderedRows: Sequence {
  package func makeIterator() -> FlattenSequence<[[Element]]>.Iterator { rows.joined().makeIterator() }
  package var underestimatedCount: Int { count }
}
