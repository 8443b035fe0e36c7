/// Something that happened, as whoever appends it says it.
public struct Event: Sendable, Equatable {
  /// What kind of event it is.
  public var type: String
  /// What else is to be known of it.
  public var data: [UInt8]

  /// Creates an event.
  public init(type: String, data: some Sequence<UInt8> = []) {
    self.type = type
    self.data = Array(data)
  }
}

/// An event in its place, which it has for ever.
public struct RecordedEvent: Sendable, Equatable {
  /// Its place among all events: 0, 1, 2 and so on without gaps.
  public let position: UInt64
  /// The stream that it was appended to.
  public let stream: String
  /// Its place in the stream, the same way.
  public let version: UInt64
  /// What happened.
  public let event: Event
}

/// How long a stream has to be for events to be appended to it.
public enum ExpectedVersion: Sendable, Hashable {
  /// Any length will do.
  case any
  /// So many events, those that the decision to append was made on; 0 for a stream that is not there.
  case exactly(UInt64)
}

/// Somebody else has appended to a stream meanwhile.
public struct VersionConflict: Error, Equatable, CustomStringConvertible {
  /// The stream.
  public let stream: String
  /// How many events it was expected to have.
  public let expected: UInt64
  /// How many it has.
  public let actual: UInt64

  /// Creates the error of its parts.
  public init(stream: String, expected: UInt64, actual: UInt64) {
    self.stream = stream
    self.expected = expected
    self.actual = actual
  }

  /// What happened, and what to do.
  public var description: String {
    "Stream '\(stream)' has \(actual) events and not \(expected). Read what was appended, decide anew, and try again."
  }
}
