/// Slots in the order of their ascending numbers, with gaps where some were removed.
struct NumberOrder {
  private static let gap = -1

  private var numbers: [UInt64] = []
  private var slots: [Int] = []
  private var gapCount = 0

  /// Takes a slot in whose number is greater than all before; returns its place.
  mutating func append(_ number: UInt64, _ slot: Int) -> Int {
    numbers.append(number)
    slots.append(slot)
    return slots.count - 1
  }

  /// Removes what is at a place; returns the slots that have another place now, and which.
  ///
  /// The gaps are closed when they are more than the slots.
  mutating func remove(at place: Int) -> [(slot: Int, place: Int)] {
    slots[place] = Self.gap
    gapCount += 1
    guard gapCount > slots.count / 2 + 16 else { return [] }
    var end = 0
    var moved: [(slot: Int, place: Int)] = []
    for place in slots.indices where slots[place] != Self.gap {
      slots[end] = slots[place]
      numbers[end] = numbers[place]
      moved.append((slots[end], end))
      end += 1
    }
    slots.removeSubrange(end...)
    numbers.removeSubrange(end...)
    gapCount = 0
    return moved
  }

  /// The slots, at most so many, whose numbers are above one and not above another.
  func slots(after number: UInt64, through last: UInt64, countMax: Int) -> [Int] {
    var found: [Int] = []
    var place = firstPlace(after: number)
    while place < slots.count, numbers[place] <= last, found.count < countMax {
      if slots[place] != Self.gap { found.append(slots[place]) }
      place += 1
    }
    return found
  }

  private func firstPlace(after number: UInt64) -> Int {
    var (low, high) = (0, numbers.count)
    while low < high {
      let middle = (low + high) / 2
      if numbers[middle] <= number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
