import SedimentTesting
import Testing

/// The checker's verdicts beside those of a search through all orders.
@Suite struct LinearizabilityModelTests {
  typealias Operation = RecordedOperation<Int, Int>

  @Test(arguments: 0..<3_000 as Range<UInt64>)
  func `The verdict on a small history is that of trying every order`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let operations = Self.history(using: &generator)
    let report = LinearizabilityChecker<Int, Int>().check(operations)
    #expect(report.undecidedKeys.isEmpty)
    #expect(report.isLinearizable == Self.isExplained(operations[...], 0, nil), "\(operations)")
  }

  @Test func `Both verdicts are frequent among the small histories`() {
    let count = (0..<3_000 as Range<UInt64>).count { seed in
      var generator = SeededGenerator(seed: seed)
      return Self.isExplained(Self.history(using: &generator)[...], 0, nil)
    }
    #expect((600...2_400).contains(count), "\(count)")
  }

  @Test func `A long history of a real register is linearizable, and one wrong read in it is found`() {
    var generator = SeededGenerator(seed: 5)
    let history = OperationHistory<Int, Int>()
    var log = history.log()
    var value: Int?
    var pending: [(begin: OperationMoment, step: RegisterStep<Int>)] = []
    for number in 0..<20_000 {
      let begin = log.now()
      let step: RegisterStep<Int>
      if Bool.random(using: &generator) {
        step = .retrieve(value)
      } else {
        step = .update(from: value, to: number)
        value = number
      }
      pending.append((begin, step))
      // Up to five ends are late.
      while pending.count > Int.random(in: 0...5, using: &generator) {
        let next = pending.remove(at: Int.random(in: 0..<pending.count, using: &generator))
        log.note(next.step, on: 0, since: next.begin)
      }
    }
    for rest in pending { log.note(rest.step, on: 0, since: rest.begin) }
    #expect(LinearizabilityChecker().check(log.operations).isLinearizable)
    var wrong = log.operations
    let place = wrong.indices.dropFirst(10_000).first { wrong[$0].step.left == .unchanged } ?? 0
    wrong[place].step = .retrieve(7)
    let report = LinearizabilityChecker().check(wrong)
    #expect(report.violations.map(\.operation) == [wrong[place]])
  }

  /// Up to seven operations on one key, at moments that often overlap.
  private static func history(using generator: inout SeededGenerator) -> [Operation] {
    let history = OperationHistory<Int, Int>()
    var log = history.log()
    let moments = (0..<20).map { _ in log.now() }
    for _ in 0..<Int.random(in: 2...7, using: &generator) {
      let begin = Int.random(in: 0..<19, using: &generator)
      let length = Int.random(in: 1...8, using: &generator)
      let isUnknown = Int.random(in: 0..<12, using: &generator) == 0
      log.note(
        step(using: &generator), on: 0, from: moments[begin],
        to: isUnknown ? nil : moments[min(begin + length, 19)])
    }
    return log.operations
  }

  private static func step(using generator: inout SeededGenerator) -> RegisterStep<Int> {
    func value() -> Int? { [nil, 1, 2][Int.random(in: 0..<3, using: &generator)] }
    let flag = Bool.random(using: &generator)
    return switch Int.random(in: 0..<8, using: &generator) {
    case 0..<3: .set(value() ?? 3)
    case 3: .remove(wasThere: flag)
    case 4: .contains(flag)
    case 5: .compareAndSet(expected: value(), new: value(), isSet: flag)
    case 6: .update(from: value(), to: value())
    default: .retrieve(value())
    }
  }

  /// Tries every order that the moments allow; operations of unknown outcome may be left out.
  private static func isExplained(_ operations: ArraySlice<Operation>, _ done: Int, _ value: Int?) -> Bool {
    let open = operations.indices.filter { done & 1 << $0 == 0 }
    if open.allSatisfy({ operations[$0].end == nil }) { return true }
    return open.contains { next in
      let operation = operations[next]
      // Whoever had ended before it began comes first.
      let isFirst = open.allSatisfy { other in operations[other].end.map { $0 >= operation.begin } ?? true }
      guard isFirst, fits(operation.step.found, value) else { return false }
      let left: Int? = if case .value(let left) = operation.step.left { left } else { value }
      return isExplained(operations, done | 1 << next, left)
    }
  }

  private static func fits(_ found: RegisterStep<Int>.Found, _ value: Int?) -> Bool {
    switch found {
    case .anything: true
    case .exactly(let expected): value == expected
    case .anythingBut(let excluded): value != excluded
    }
  }
}
