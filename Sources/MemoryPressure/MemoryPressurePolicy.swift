/// What figures mean, and when to tell it.
package enum MemoryPressurePolicy {
  /// The percentage of a group's bound from which on memory runs short.
  package static let warningPercentage: UInt64 = 85
  /// The percentage of a group's bound from which on the process is in danger.
  package static let criticalPercentage: UInt64 = 95
  /// The percentage of time that some task waits for memory from which on it runs short.
  package static let warningStall = 10.0
  /// The percentage of time that all tasks wait for memory from which on nothing else matters.
  package static let criticalStall = 10.0
  /// The seconds after which a level that lasts is told again, for what was given back was not enough.
  package static let repetitionSeconds: UInt64 = 15

  /// How scarce memory is: the worst of what the groups and the waiting tell.
  package static func level(of figures: MemoryFigures) -> MemoryPressureLevel {
    let levels = figures.groups.map(level(of:)) + [figures.stall.map(level(of:)) ?? .normal]
    return levels.max() ?? .normal
  }

  private static func level(of group: MemoryFigures.Group) -> MemoryPressureLevel {
    if group.used >= part(criticalPercentage, of: group.bound) { return .critical }
    return group.used >= part(warningPercentage, of: group.bound) ? .warning : .normal
  }

  private static func level(of stall: MemoryFigures.Stall) -> MemoryPressureLevel {
    if stall.full >= criticalStall { return .critical }
    return stall.some >= warningStall ? .warning : .normal
  }

  /// A percentage of at most 100, rounded down, of any number.
  private static func part(_ percentage: UInt64, of number: UInt64) -> UInt64 {
    number / 100 * percentage + number % 100 * percentage / 100
  }
}

/// Decides which of the levels that are looked up again and again are told.
package struct MemoryPressureTelling: Sendable {
  private var level = MemoryPressureLevel.normal
  private var toldAt: UInt64 = 0

  package init() {}

  /// Whether to tell this level at this second of a clock that never goes back: if it differs, and again while
  /// memory stays scarce.
  package mutating func tells(_ level: MemoryPressureLevel, at second: UInt64) -> Bool {
    let isOld = second >= toldAt && second - toldAt >= MemoryPressurePolicy.repetitionSeconds
    guard level != self.level || (level != .normal && isOld) else { return false }
    self.level = level
    toldAt = second
    return true
  }
}
