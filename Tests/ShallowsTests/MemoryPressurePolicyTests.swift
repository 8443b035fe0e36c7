import MemoryPressure
import Shallows
import Testing

/// What figures mean, to the byte.
@Suite struct MemoryPressurePolicyTests {
  private func level(used: UInt64, bound: UInt64) -> MemoryPressureLevel {
    MemoryPressurePolicy.level(
      of: MemoryFigures(groups: [MemoryFigures.Group(used: used, bound: bound)], stall: nil))
  }

  private func level(some: Double, full: Double) -> MemoryPressureLevel {
    MemoryPressurePolicy.level(
      of: MemoryFigures(groups: [], stall: MemoryFigures.Stall(some: some, full: full)))
  }

  @Test func `A group is short of memory from 85 percent of its bound on, and in danger from 95 on`() {
    #expect(level(used: 0, bound: 1_000) == .normal)
    #expect(level(used: 849, bound: 1_000) == .normal)
    #expect(level(used: 850, bound: 1_000) == .warning)
    #expect(level(used: 949, bound: 1_000) == .warning)
    #expect(level(used: 950, bound: 1_000) == .critical)
    #expect(level(used: 2_000, bound: 1_000) == .critical)
    // Rounded down, and without overflow.
    #expect(level(used: 4, bound: 7) == .normal && level(used: 5, bound: 7) == .warning)
    #expect(level(used: 6, bound: 7) == .critical)
    #expect(level(used: .max, bound: .max) == .critical)
    #expect(level(used: .max / 2, bound: .max) == .normal)
    #expect(level(used: 0, bound: 0) == .critical)
  }

  @Test func `Waiting counts from a tenth of the time on, and is worse if nothing else is done`() {
    #expect(level(some: 0, full: 0) == .normal)
    #expect(level(some: 9.99, full: 9.99) == .normal)
    #expect(level(some: 10, full: 0) == .warning)
    #expect(level(some: 100, full: 9.99) == .warning)
    #expect(level(some: 10, full: 10) == .critical)
  }

  @Test func `The worst of all groups and of waiting decides, and nothing at all is normal`() {
    let groups = [850, 10, 950].map { MemoryFigures.Group(used: $0, bound: 1_000) }
    let stall = MemoryFigures.Stall(some: 50, full: 0)
    #expect(MemoryPressurePolicy.level(of: MemoryFigures(groups: groups, stall: nil)) == .critical)
    #expect(MemoryPressurePolicy.level(of: MemoryFigures(groups: [groups[1]], stall: stall)) == .warning)
    #expect(MemoryPressurePolicy.level(of: MemoryFigures(groups: [groups[1]], stall: nil)) == .normal)
    #expect(MemoryPressurePolicy.level(of: MemoryFigures(groups: [], stall: nil)) == .normal)
  }

  @Test func `A level is told when it changes, and while memory is scarce every 15 seconds`() {
    var telling = MemoryPressureTelling()
    let course: [(MemoryPressureLevel, UInt64, Bool)] = [
      (.normal, 0, false), (.normal, 100, false), (.warning, 101, true), (.warning, 102, false),
      (.warning, 115, false), (.warning, 116, true), (.warning, 130, false), (.critical, 130, true),
      (.critical, 144, false), (.critical, 145, true), (.warning, 146, true), (.normal, 147, true),
      (.normal, 400, false), (.warning, 400, true),
      // A clock that goes back delays, and nothing worse.
      (.warning, 5, false), (.warning, 415, true), (.warning, .max, true), (.normal, .max, true),
    ]
    for (number, (level, second, tells)) in course.enumerated() {
      #expect(telling.tells(level, at: second) == tells, "step \(number)")
    }
  }

  @Test func `Levels are ordered`() {
    #expect(MemoryPressureLevel.allCases.sorted() == [.normal, .warning, .critical])
  }
}
