extension EventStore {
  /// All events from a position on, and then those that come.
  ///
  /// A reader that remembers the position behind its last event goes on from there after a restart, and misses none.
  /// Readers may see an event a moment before it is on the disk, while its `append` still waits for that; who acts on
  /// events outside this store calls the store's `sync` before.
  public func follow(from position: UInt64 = 0) -> FollowedEvents {
    FollowedEvents(store: self, position: position)
  }
}

/// Events as they come, without an end: the task that goes through them leaves, or is cancelled.
public struct FollowedEvents: AsyncSequence, Sendable {
  let store: EventStore
  let position: UInt64

  /// Goes through the events; several may do so at a time.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(
      store: store, announcements: store.arrivals.follow().makeAsyncIterator(), position: position)
  }

  /// Goes through the events by pages, and sleeps where there is none yet.
  public struct AsyncIterator: AsyncIteratorProtocol {
    let store: EventStore
    /// Begun before anything is read, so that what arrives meanwhile is not slept through.
    var announcements: AsyncStream<Void>.Iterator
    var position: UInt64
    var page: ArraySlice<RecordedEvent> = []

    /// The next event; nil only once the task was cancelled.
    public mutating func next() async throws -> RecordedEvent? {
      while page.isEmpty {
        page = try store.readAll(from: position, max: 100)[...]
        if page.isEmpty, await announcements.next() == nil { return nil }
      }
      position += 1
      return page.removeFirst()
    }
  }
}
