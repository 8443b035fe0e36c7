/// Decides whether what threads saw of a storage can be explained by one order of their operations, in which each
/// takes effect at one moment between its beginning and its end.
///
/// Keys are registers that have nothing to do with one another, so each is decided by itself. The verdict is exact: a
/// history is linearizable if and only if every key's is. An order is sought as the history goes on, and no more is
/// kept of it than each value that a key may have with the operations that may have taken effect early; so the time
/// grows with the history's length and, at worst, exponentially with how many changes of one key overlap.
///
/// What many keys have in common can be checked as one register: if all changes of a group are batches that give each
/// member the same value, a reader of any member reads the group.
public struct LinearizabilityChecker<Key: Hashable & Sendable, Value: Hashable & Sendable>: Sendable {
  /// How many operations of one key may overlap; those of unknown outcome overlap all that follow.
  public static var overlapCountMax: Int { UInt64.bitWidth }

  /// How many explanations of one key's history are followed at a time.
  public var explanationCountMax = 1 << 20

  /// Creates a checker.
  public init() {}

  /// Checks the operations of a history, in any order, of keys that had some values in the beginning.
  public func check(
    _ operations: some Sequence<RecordedOperation<Key, Value>>,
    initially: (Key) -> Value? = { _ in nil }
  ) -> LinearizabilityReport<Key, Value> {
    var report = LinearizabilityReport<Key, Value>()
    for (key, operations) in Dictionary(grouping: operations, by: \.key) {
      report.keyCount += 1
      report.operationCount += operations.count
      var search = RegisterSearch(operations, initially: initially(key), explanationCountMax)
      switch search.run() {
      case .explained: break
      case .unexplained(let operation, let values):
        report.violations.append(
          LinearizabilityViolation(
            operation: operation, possibleValues: values,
            others: operations.filter { $0 != operation && $0.overlaps(operation) }))
      case .tooLarge: report.undecidedKeys.append(key)
      }
    }
    return report
  }
}

/// What a check of a history came to.
public struct LinearizabilityReport<Key: Hashable & Sendable, Value: Hashable & Sendable>: Sendable {
  /// How many operations were looked at.
  public internal(set) var operationCount = 0
  /// On how many keys.
  public internal(set) var keyCount = 0
  /// The first contradiction of each key that has one.
  public internal(set) var violations: [LinearizabilityViolation<Key, Value>] = []
  /// The keys whose histories are beyond what the checker takes on.
  public internal(set) var undecidedKeys: [Key] = []

  /// Whether every key's history was decided and can be explained.
  public var isLinearizable: Bool { violations.isEmpty && undecidedKeys.isEmpty }
}

/// An operation that no order of the operations up to its end explains.
public struct LinearizabilityViolation<Key: Hashable & Sendable, Value: Hashable & Sendable>: Sendable {
  /// The operation.
  public let operation: RecordedOperation<Key, Value>
  /// Every value that the key may have had when it ended, if it is left out.
  public let possibleValues: Set<Value?>
  /// What else was done to the key meanwhile.
  public let others: [RecordedOperation<Key, Value>]
}

extension LinearizabilityViolation: CustomStringConvertible {
  /// The operation, what it might have found and what was under way.
  public var description: String {
    let values = possibleValues.map { $0.map { "\($0)" } ?? "nothing" }.sorted().joined(separator: " or ")
    let others = others.prefix(8).map { "\($0)" }.joined(separator: "; ")
    return "\(operation), and it must have been \(values)\(others.isEmpty ? "" : "; meanwhile: \(others)")"
  }
}

extension RecordedOperation: CustomStringConvertible {
  /// The key, what was done to it, and when.
  public var description: String {
    "'\(key)' \(step) (\(begin.number) to \(end.map { "\($0.number)" } ?? "never"))"
  }

  /// Whether there was a moment at which both were under way.
  fileprivate func overlaps(_ other: RecordedOperation) -> Bool {
    begin <= other.end ?? OperationMoment(.max) && other.begin <= end ?? OperationMoment(.max)
  }
}
