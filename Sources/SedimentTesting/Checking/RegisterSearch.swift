/// The search for an order of the operations on one key, along the time in which they began and ended.
///
/// An operation is put into the order no sooner than it must be: when it ends, with such others before it as it takes.
/// One that changes nothing is put there as soon as the value is what it found, which never spoils an explanation.
struct RegisterSearch<Key: Hashable & Sendable, Value: Hashable & Sendable> {
  typealias Operation = RecordedOperation<Key, Value>

  enum Outcome {
    case explained
    case unexplained(Operation, Set<Value?>)
    case tooLarge
  }

  /// What may have happened so far.
  private struct Explanation: Hashable {
    /// The number of the key's value.
    var value: Int
    /// The places of the operations that took effect and have not ended.
    var done: UInt64
  }

  /// A step with numbers for values, of which 0 is none.
  private struct Step {
    var found: RegisterStep<Int>.Found
    var left: Int?

    func fits(_ value: Int) -> Bool {
      switch found {
      case .anything: true
      case .exactly(let expected): value == expected
      case .anythingBut(let excluded): value != excluded
      }
    }
  }

  private let operations: [Operation]
  private let steps: [Step]
  private let values: [Value?]
  private let explanationCountMax: Int
  private var explanations: Set<Explanation>
  /// The operations that are under way, by place.
  private var underWay = [Int?](repeating: nil, count: UInt64.bitWidth)
  private var placesInUse: UInt64 = 0
  /// The places of those that change nothing.
  private var observing: UInt64 = 0

  init(_ operations: [Operation], initially value: Value?, _ explanationCountMax: Int) {
    self.operations = operations
    self.explanationCountMax = explanationCountMax
    var numbers: [Value?: Int] = [nil: 0]
    func number(_ value: Value?) -> Int {
      if let number = numbers[value] { return number }
      let next = numbers.count
      numbers[value] = next
      return next
    }
    steps = operations.map { operation in
      let found: RegisterStep<Int>.Found =
        switch operation.step.found {
        case .anything: .anything
        case .exactly(let value): .exactly(number(value))
        case .anythingBut(let value): .anythingBut(number(value))
        }
      if case .value(let value) = operation.step.left { return Step(found: found, left: number(value)) }
      return Step(found: found, left: nil)
    }
    explanations = [Explanation(value: number(value), done: 0)]
    var values = [Value?](repeating: nil, count: numbers.count)
    for (value, number) in numbers { values[number] = value }
    self.values = values
  }

  /// Goes along the time, and ends where nothing explains what was seen.
  mutating func run() -> Outcome {
    for event in events() {
      if event.isEnd {
        guard let place = underWay.firstIndex(of: event.operation) else { continue }
        if let outcome = end(operationAt: place) { return outcome }
      } else {
        let place = (~placesInUse).trailingZeroBitCount
        guard place < UInt64.bitWidth else { return .tooLarge }
        begin(event.operation, at: place)
      }
    }
    return .explained
  }

  private struct Event {
    var moment: OperationMoment
    var isEnd: Bool
    var operation: Int
  }

  /// The beginnings and ends in their order; what begins at the moment that something else ends overlaps it.
  private func events() -> [Event] {
    var events: [Event] = []
    events.reserveCapacity(2 * operations.count)
    for (number, operation) in operations.enumerated() {
      events.append(Event(moment: operation.begin, isEnd: false, operation: number))
      if let end = operation.end { events.append(Event(moment: end, isEnd: true, operation: number)) }
    }
    return events.sorted {
      ($0.moment, $0.isEnd ? 1 : 0, $0.operation) < ($1.moment, $1.isEnd ? 1 : 0, $1.operation)
    }
  }

  private mutating func begin(_ operation: Int, at place: Int) {
    underWay[place] = operation
    placesInUse |= 1 << UInt64(place)
    guard steps[operation].left == nil else { return }
    observing |= 1 << UInt64(place)
    explanations = Set(explanations.map(settled))
  }

  /// Goes on with the explanations in which an operation took effect before its end; an outcome if there are none, or
  /// too many to follow.
  private mutating func end(operationAt ended: Int) -> Outcome? {
    let bit: UInt64 = 1 << UInt64(ended)
    var next: Set<Explanation> = []
    var seen = explanations
    var open = explanations.filter { $0.done & bit == 0 }
    for explanation in explanations where explanation.done & bit != 0 {
      next.insert(Explanation(value: explanation.value, done: explanation.done & ~bit))
    }
    while let explanation = open.popFirst() {
      for later in successors(of: explanation) {
        if later.done & bit != 0 {
          next.insert(Explanation(value: later.value, done: later.done & ~bit))
        } else if seen.insert(later).inserted {
          open.insert(later)
        }
      }
      if seen.count + next.count > explanationCountMax { return .tooLarge }
    }
    guard !next.isEmpty else {
      let operation = operations[underWay[ended] ?? 0]
      return .unexplained(operation, Set(seen.map { values[$0.value] }))
    }
    explanations = next
    underWay[ended] = nil
    placesInUse &= ~bit
    observing &= ~bit
    return nil
  }

  /// What becomes of an explanation if one more operation that changes something takes effect.
  private func successors(of explanation: Explanation) -> [Explanation] {
    var successors: [Explanation] = []
    var rest = placesInUse & ~observing & ~explanation.done
    while rest != 0 {
      let place = rest.trailingZeroBitCount
      rest &= rest - 1
      guard let operation = underWay[place], let left = steps[operation].left,
        steps[operation].fits(explanation.value)
      else { continue }
      successors.append(settled(Explanation(value: left, done: explanation.done | 1 << UInt64(place))))
    }
    return successors
  }

  /// The explanation with everything put into the order that only looks at the value and fits it.
  private func settled(_ explanation: Explanation) -> Explanation {
    var settled = explanation
    var rest = observing & ~explanation.done
    while rest != 0 {
      let place = rest.trailingZeroBitCount
      rest &= rest - 1
      if let operation = underWay[place], steps[operation].fits(explanation.value) {
        settled.done |= 1 << UInt64(place)
      }
    }
    return settled
  }
}
