public import Sediment
internal import Synchronization

/// Streams of events that are only ever appended to, with one order of all: a storage of another kind than keys and
/// values, made of them.
///
/// Three collections of one store, always changed in one batch:
///
/// | collection | key | value |
/// | --- | --- | --- |
/// | `events` | position | the event with its stream and version |
/// | `streams` | stream, version | position |
/// | `lengths` | stream; `""` for all events together | how many events |
///
/// The engine keeps no order of keys. It need not: positions and versions have no gaps, so the next key is always
/// known. Reading takes no lock; appending takes the one here, since versions are compared and then changed.
public final class EventStore: Sendable {
  let events: SedimentCollection
  let streams: SedimentCollection
  let lengths: SedimentCollection
  let arrivals = Arrivals()
  private let store: SedimentStore
  private let appending = Mutex(())

  /// Creates an event store in a store, which whoever opened it closes, once for each store.
  public init(_ store: SedimentStore) throws {
    self.store = store
    events = try store.collection("events")
    streams = try store.collection("streams")
    lengths = try store.collection("lengths")
  }

  /// How many events there are in all.
  public func count() throws -> UInt64 { try length(of: "") }

  /// How many events a stream has: the version of the next one.
  public func version(of stream: String) throws -> UInt64 { stream.isEmpty ? 0 : try length(of: stream) }

  /// Appends events to a stream, all together or not at all, and returns the stream's version once they are on the disk.
  ///
  /// Throws a `VersionConflict` if the stream is not as long as expected: somebody else was quicker.
  @discardableResult
  public func append(
    _ new: [Event], to stream: String, expecting expected: ExpectedVersion
  ) throws -> UInt64 {
    guard !stream.isEmpty else { throw UnnamedStream() }
    let version = try appending.withLock { _ in
      var position = try count()
      var version = try self.version(of: stream)
      if case .exactly(let expected) = expected, expected != version {
        throw VersionConflict(stream: stream, expected: expected, actual: version)
      }
      try store.batch(durability: .unsynced) { batch in
        for event in new {
          let value = EventCoding.encode(event, stream: stream, version: version)
          batch.set(value, forKey: position.bigEndianBytes, in: events)
          batch.set(position.bigEndianBytes, forKey: Self.key(stream, version), in: streams)
          position += 1
          version += 1
        }
        batch.set(version.bigEndianBytes, forKey: stream, in: lengths)
        batch.set(position.bigEndianBytes, forKey: "", in: lengths)
      }
      return version
    }
    // Outside the lock, so that those who wait share one sync.
    try store.sync()
    arrivals.announce()
    return version
  }

  private func length(of stream: String) throws -> UInt64 {
    try lengths.retrieve(forKey: stream).map { UInt64(bigEndianBytes: $0) } ?? 0
  }

  /// The number has a fixed length, so no two streams have a key in common.
  static func key(_ stream: String, _ version: UInt64) -> [UInt8] { stream.utf8 + version.bigEndianBytes }
}

/// A stream has to have a name.
public struct UnnamedStream: Error, Equatable {
  /// Creates the error.
  public init() {}
}
