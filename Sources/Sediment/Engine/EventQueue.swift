/// What the observer of a store has yet to be told.
///
/// It is told on a thread of the background, with none of the store's locks held, so that it may use the store,
/// close it, or let go of it.
final class EventQueue: @unchecked Sendable {
  private let observer: (@Sendable (SedimentEvent) -> Void)?
  private let lock = Lock()
  /// Under `lock`.
  private var events: [SedimentEvent] = []

  init(_ observer: (@Sendable (SedimentEvent) -> Void)?) {
    self.observer = observer
  }

  /// Notes an event; whether somebody has to `deliver` it.
  func add(_ event: SedimentEvent) -> Bool {
    if observer == nil { return false }
    lock.withLock { events.append(event) }
    return true
  }

  /// Tells the observer everything up to now, in the order in which it happened.
  func deliver() {
    // One at a time: the observer may itself come here, by closing the store.
    while let event = lock.withLock({ events.isEmpty ? nil : events.removeFirst() }) { observer?(event) }
  }
}
