/// What the observer of a store has yet to be told.
///
/// It is told on a thread of the background, with none of the store's locks held, so that it may use the store,
/// close it, or let go of it.
final class EventQueue: Sendable {
  private let observer: (@Sendable (SedimentEvent) -> Void)?
  private let events = Locked(.leaf, [SedimentEvent]())

  /// An observer that is so many events behind misses the oldest of them.
  private static let countMax = 1024

  init(_ observer: (@Sendable (SedimentEvent) -> Void)?) {
    self.observer = observer
  }

  /// Notes an event; whether somebody has to `deliver` it.
  func add(_ event: SedimentEvent) -> Bool {
    if observer == nil { return false }
    events.withLock { events in
      if events.count == Self.countMax { events.removeFirst() }
      events.append(event)
    }
    return true
  }

  /// Tells the observer everything up to now, in the order in which it happened.
  ///
  /// What comes of the telling itself is left for the next time, or an observer that changes the store at each
  /// event would keep a thread that others need.
  func deliver() {
    for _ in 0..<events.withLock({ events in events.count }) {
      // One at a time: the observer may itself come here, by closing the store.
      let event = events.withLock { events in events.isEmpty ? nil : events.removeFirst() }
      guard let event else { return }
      observer?(event)
    }
  }
}
