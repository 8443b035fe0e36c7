import CrashModel
import Synchronization

/// Counts what failed in the background.
final class CrashFailures: Sendable {
  private let count = Atomic(0)

  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  func add() {
    count.add(1, ordering: .relaxed)
  }
}

/// What a crash left, as far as a recorder can tell.
struct CrashLeftover {
  /// What the store may hold, in the order of its history.
  var states: [CrashContents]
  /// The first of them that it may be found to hold now; one before that only a power failure brings.
  var leastFound = 0
  /// Whether all of it is on the medium, as after a power failure.
  var isDurable = true
  /// The operations that led there.
  var operations: [String] = []
  /// The most bytes of a store that leaves out what was not read lately.
  var evictingByteCount: UInt64?
}

extension CrashLeftover: CustomStringConvertible {
  var description: String {
    "the first of \(states.count - leastFound) is \(states[leastFound].summary); "
      + operations.joined(separator: "; ")
  }
}

/// A store was opened and held none of the states that it might.
struct CrashFinding: Error, CustomStringConvertible {
  var found: CrashContents

  var description: String { "found \(found.summary)" }
}
