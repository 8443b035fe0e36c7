/// What a Linux system tells of memory at one moment.
package struct MemoryFigures: Sendable, Hashable {
  /// A control group that the process is in, directly or by way of others, and that has a bound.
  package struct Group: Sendable, Hashable {
    /// The bytes in use, without file contents that were not needed lately.
    package var used: UInt64
    /// The bytes from which on it is throttled or stopped.
    package var bound: UInt64

    package init(used: UInt64, bound: UInt64) {
      self.used = used
      self.bound = bound
    }
  }

  /// Which share of the last ten seconds was spent waiting for memory, in percent.
  package struct Stall: Sendable, Hashable {
    /// The time in which at least one task waited.
    package var some: Double
    /// The time in which nothing but waiting was done.
    package var full: Double

    package init(some: Double, full: Double) {
      self.some = some
      self.full = full
    }
  }

  package var groups: [Group]
  /// Of the group of the process, or of the whole system where groups do not tell; nil where neither does.
  package var stall: Stall?

  package init(groups: [Group], stall: Stall?) {
    self.groups = groups
    self.stall = stall
  }
}
