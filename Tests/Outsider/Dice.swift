/// Random numbers that follow from a seed alone.
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed &* 0x9e37_79b9_7f4a_7c15 ^ 0x5851_f42d_4c95_7f2d
    _ = next()
  }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    return Dice.mixed(state)
  }

  /// The number that another is mixed to.
  static func mixed(_ number: UInt64) -> UInt64 {
    var mixed = number
    mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
    return mixed ^ mixed >> 31
  }

  /// True in so many of a hundred cases.
  mutating func isWithin(_ percent: Int) -> Bool { number(below: 100) < percent }

  mutating func number(below end: Int) -> Int { end <= 1 ? 0 : Int(next() % UInt64(end)) }

  mutating func number(in range: ClosedRange<Int>) -> Int {
    range.lowerBound + number(below: range.upperBound - range.lowerBound + 1)
  }

  mutating func one<Element>(of elements: [Element]) -> Element { elements[number(below: elements.count)] }

  /// One of the elements, each as often as its weight says.
  mutating func one<Element>(weighted elements: [(weight: Int, element: Element)]) -> Element {
    var rest = number(below: elements.reduce(0) { $0 + $1.weight })
    for (weight, element) in elements {
      if rest < weight { return element }
      rest -= weight
    }
    return elements[elements.count - 1].element
  }
}
