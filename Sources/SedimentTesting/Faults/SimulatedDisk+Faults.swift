public import SedimentDisk

/// A call of the seam that was made.
public struct SimulatedCall: Hashable, Sendable {
  /// What was asked for.
  public let operation: DiskOperation
  /// The file or directory, as it was named.
  public let path: String
}

extension SimulatedDisk {
  /// How many calls of the seam that can fail were made so far, and so the index of the next one.
  ///
  /// Stores, clocks, random numbers and what only this class has do not count.
  public var callCount: Int {
    withState { $0.calls.count }
  }

  /// The calls so far, each at its index.
  public var calls: [SimulatedCall] {
    withState { $0.calls }
  }

  /// Lets one call go wrong: the first one, from the given index on, that is among `operations` and that the
  /// effect applies to; without an index, from the next call on.
  public func inject(
    _ effect: FaultEffect, atCall index: Int? = nil,
    only operations: Set<DiskOperation> = Set(DiskOperation.allCases)
  ) {
    withState { state in
      state.faults.insert(
        effect, firstCall: index ?? state.calls.count, isPermanent: false, operations: operations)
    }
  }

  /// Lets calls go wrong for good: all from the given index on that are among `operations` and that the effect
  /// applies to; without an index, from the next call on.
  public func injectForGood(
    _ effect: FaultEffect, fromCall index: Int? = nil,
    only operations: Set<DiskOperation> = Set(DiskOperation.allCases)
  ) {
    withState { state in
      state.faults.insert(
        effect, firstCall: index ?? state.calls.count, isPermanent: true, operations: operations)
    }
  }

  /// Takes back all effects that still wait for a call.
  public func clearFaults() {
    withState { $0.faults.removeAll() }
  }
}
