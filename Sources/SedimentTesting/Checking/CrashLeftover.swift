/// What a crash left, as far as a recorder can tell.
public struct CrashLeftover<Contents> {
  /// What the storage may hold, in the order of its history.
  public internal(set) var states: [Contents]
  /// The first of them that it may be found to hold now; one before that only a power failure brings.
  public internal(set) var leastFound = 0
  /// Whether all of it is on the medium, as after a power failure.
  public internal(set) var isDurable = true
  /// The operations that led there.
  public internal(set) var operations: [String] = []

  /// What a storage left in order that held these contents, all on the medium.
  public init(_ contents: Contents) {
    states = [contents]
  }

  init(states: [Contents], leastFound: Int, isDurable: Bool, operations: [String]) {
    self.states = states
    self.leastFound = leastFound
    self.isDurable = isDurable
    self.operations = operations
  }
}

extension CrashLeftover: Sendable where Contents: Sendable {}

/// A storage was opened and held none of the contents that it might.
public struct CrashMismatch: Error, CustomStringConvertible {
  /// What was found and what was expected, in words.
  public let description: String

  init(_ description: String) {
    self.description = description
  }
}
