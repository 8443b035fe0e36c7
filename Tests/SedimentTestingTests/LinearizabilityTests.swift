import SedimentTesting
import Testing

/// Histories of one or two keys, each with its verdict.
@Suite struct LinearizabilityTests {
  typealias Step = RegisterStep<Int>

  /// A history made by hand: what begins and ends where, in the order of the calls.
  private struct Sketch {
    let history = OperationHistory<String, Int>()
    var log: OperationLog<String, Int>

    init() { log = history.log() }

    /// One operation after all before it.
    mutating func after(_ step: Step, on key: String = "a") {
      log.note(step, on: key, since: log.now())
    }

    /// Several operations that all overlap.
    mutating func together(_ steps: Step..., on key: String = "a") {
      let begin = log.now()
      let end = log.now()
      for step in steps { log.note(step, on: key, from: begin, to: end) }
    }

    var report: LinearizabilityReport<String, Int> { LinearizabilityChecker().check(log.operations) }
  }

  private func report(_ build: (inout Sketch) -> Void) -> LinearizabilityReport<String, Int> {
    var sketch = Sketch()
    build(&sketch)
    return sketch.report
  }

  @Test func `One after the other, each finds what the one before left`() {
    let report = report {
      $0.after(.retrieve(nil))
      $0.after(.set(1))
      $0.after(.retrieve(1))
      $0.after(.setIfAbsent(2, isSet: false))
      $0.after(.update(from: 1, to: 3))
      $0.after(.compareAndSet(expected: 1, new: 9, isSet: false))
      $0.after(.contains(true))
      $0.after(.remove(wasThere: true))
      $0.after(.remove(wasThere: false))
      $0.after(.setIfAbsent(4, isSet: true))
      $0.after(.retrieve(4))
    }
    #expect(report.isLinearizable)
    #expect(report.operationCount == 11 && report.keyCount == 1)
  }

  @Test func `A read beside a change may find either`() {
    for found in [1, 2] {
      #expect(
        report {
          $0.after(.set(1))
          $0.together(.set(2), .retrieve(found))
          $0.after(.retrieve(2))
        }.isLinearizable)
    }
  }

  @Test func `A stale read is found, with what it must have found`() throws {
    let report = report {
      $0.after(.set(1))
      $0.after(.set(2))
      $0.after(.retrieve(1))
    }
    let violation = try #require(report.violations.first)
    #expect(violation.operation.step == .retrieve(1))
    #expect(violation.possibleValues == [2])
    #expect(violation.others.isEmpty)
  }

  @Test func `A lost update is found`() {
    let report = report {
      $0.after(.set(1))
      $0.together(.update(from: 1, to: 2), .update(from: 1, to: 3))
    }
    #expect(report.violations.count == 1)
  }

  @Test func `Two that set what was absent cannot both have done so`() {
    #expect(
      !report { $0.together(.setIfAbsent(1, isSet: true), .setIfAbsent(2, isSet: true)) }.isLinearizable)
    #expect(
      report { $0.together(.setIfAbsent(1, isSet: true), .setIfAbsent(2, isSet: false)) }.isLinearizable)
  }

  @Test func `A value that was never written is found`() throws {
    let report = report {
      $0.together(.retrieve(3), .set(1), .set(2))
    }
    let violation = try #require(report.violations.first)
    #expect(violation.possibleValues == [nil, 1, 2])
    #expect(violation.others.count == 2)
  }

  @Test func `Two readers must see changes in one order`() {
    func read(_ first: [Int], _ second: [Int]) -> Bool {
      report { sketch in
        let begin = sketch.log.now()
        for found in first + second { sketch.after(.retrieve(found)) }
        let end = sketch.log.now()
        sketch.log.note(.set(1), on: "a", from: begin, to: end)
        sketch.log.note(.set(2), on: "a", from: begin, to: end)
      }.isLinearizable
    }
    #expect(read([1, 1], [2, 2]))
    #expect(read([2, 1], [1, 1]))
    #expect(!read([1, 2], [1, 2]))
    #expect(!read([1, 2], [2, 1]))
  }

  @Test func `What is removed stays so`() {
    let report = report {
      $0.after(.set(1))
      $0.together(.remove(wasThere: true), .retrieve(nil))
      $0.after(.retrieve(1))
    }
    #expect(report.violations.count == 1)
  }

  @Test func `An operation of unknown outcome may take effect later, once, or never`() {
    func read(_ found: Int?...) -> Bool {
      report { sketch in
        sketch.after(.set(1))
        sketch.log.note(.set(2), on: "a", from: sketch.log.now(), to: nil)
        for value in found { sketch.after(.retrieve(value)) }
      }.isLinearizable
    }
    #expect(read(1, 1, 1))
    #expect(read(1, 1, 2, 2))
    #expect(!read(1, 2, 1))
    #expect(!read(nil))
  }

  @Test func `Keys have nothing to do with one another, and each has its beginning`() {
    var sketch = Sketch()
    sketch.after(.retrieve(7), on: "a")
    sketch.after(.retrieve(nil), on: "b")
    sketch.after(.set(1), on: "b")
    sketch.after(.retrieve(nil), on: "b")
    let report = LinearizabilityChecker().check(sketch.log.operations) { $0 == "a" ? 7 : nil }
    #expect(report.violations.map(\.operation.key) == ["b"])
  }

  @Test func `What is beyond its bounds is undecided`() {
    let most = LinearizabilityChecker<String, Int>.overlapCountMax
    func report(_ count: Int) -> LinearizabilityReport<String, Int> {
      self.report { sketch in
        let begin = sketch.log.now()
        for _ in 0..<count { sketch.log.note(.retrieve(nil), on: "a", from: begin, to: nil) }
        sketch.log.note(.contains(false), on: "b", since: begin)
      }
    }
    #expect(report(most).isLinearizable)
    #expect(report(most + 1).undecidedKeys == ["a"])
    #expect(report(most + 1).violations.isEmpty)
    var sketch = Sketch()
    let begin = sketch.log.now()
    for number in 0..<12 { sketch.log.note(.set(number), on: "a", from: begin, to: nil) }
    sketch.after(.retrieve(99))
    var checker = LinearizabilityChecker<String, Int>()
    #expect(checker.check(sketch.log.operations).violations.count == 1)
    checker.explanationCountMax = 100
    #expect(checker.check(sketch.log.operations).undecidedKeys == ["a"])
  }
}
