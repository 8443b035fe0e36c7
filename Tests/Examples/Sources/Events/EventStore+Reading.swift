internal import Sediment

extension EventStore {
  /// Events of a stream in their order, from a version on; none behind its end.
  public func read(stream: String, from version: UInt64 = 0, max count: Int = 1_000) throws -> [RecordedEvent]
  {
    let end = try self.version(of: stream)
    let keys = Self.range(from: version, to: end, max: count).map { Self.key(stream, $0) }
    return try streams.retrieve(forKeys: keys).map { position in
      guard let position else { throw LostEvent(position: nil) }
      return try event(at: UInt64(bigEndianBytes: position))
    }
  }

  /// Events of all streams in the order in which they were appended, from a position on; none behind the end.
  public func readAll(from position: UInt64 = 0, max count: Int = 1_000) throws -> [RecordedEvent] {
    let positions = Self.range(from: position, to: try self.count(), max: count)
    return try zip(positions, events.retrieve(forKeys: positions.map(\.bigEndianBytes))).map(Self.decode)
  }

  private func event(at position: UInt64) throws -> RecordedEvent {
    try Self.decode(position, events.retrieve(forKey: position.bigEndianBytes))
  }

  private static func decode(_ position: UInt64, _ value: [UInt8]?) throws -> RecordedEvent {
    guard let event = value.flatMap({ EventCoding.decode($0, at: position) }) else {
      throw LostEvent(position: position)
    }
    return event
  }

  private static func range(from first: UInt64, to end: UInt64, max count: Int) -> Range<UInt64> {
    guard first < end else { return end..<end }
    return first..<first + min(end - first, UInt64(max(0, count)))
  }
}

/// An event that the lengths count is not there, or none: somebody else has written to the collections.
public struct LostEvent: Error, Equatable, CustomStringConvertible {
  /// Its position, where that is known.
  public let position: UInt64?

  /// What happened, and what to do.
  public var description: String {
    "The event at \(position.map(String.init) ?? "an unknown position") is not there. Restore a backup of the store."
  }
}
