/// An access to mapped memory that a real machine answers with a fatal signal.
public struct Violation: Hashable, Sendable {
  /// What was wrong.
  public let kind: Kind
  /// The file behind the mapping, by its latest name.
  public let path: String
  /// The bytes that were accessed or exposed.
  public let range: Range<UInt64>

  /// Creates a violation of its parts.
  public init(kind: Kind, path: String, range: Range<UInt64>) {
    self.kind = kind
    self.path = path
    self.range = range
  }

  /// What can be wrong with an access.
  public enum Kind: String, Hashable, Sendable {
    /// A store into pages that were not exposed as writable.
    case storeNotExposed = "store into a range that is not exposed as writable"
    /// A store past the end of the file.
    case storeBeyondEnd = "store beyond the end of the file"
    /// A store into blocks that nobody allocated, which is fatal once the disk is full.
    case storeNotAllocated = "store into a range that is not allocated"
    /// A store after the file was closed and opened again.
    case storeAfterClose = "store after the file was closed and opened again"
    /// The exposure of pages past the end of the file.
    case exposedBeyondEnd = "exposure beyond the end of the file"
    /// The exposure, for writing, of blocks that nobody allocated.
    case exposedNotAllocated = "writable exposure of a range that is not allocated"
  }
}

extension Violation: CustomStringConvertible {
  /// A sentence for people.
  public var description: String {
    "\(kind.rawValue): bytes \(range) of '\(path)'"
  }
}

/// What a simulated disk does about a violation.
public enum ViolationRule: Hashable, Sendable {
  /// Ends the process, as a real machine would.
  case trap
  /// Notes it in `SimulatedDisk.violations`; a forbidden store is not made.
  case record
}
