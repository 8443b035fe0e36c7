internal import SedimentDisk
internal import SedimentFormat

/// What a store does in the background, on the threads that all stores of the process share: its jobs, and what is
/// planned of them.
@safe
final class Background: @unchecked Sendable {
  // Unchecked: the jobs are set once, before the store is used.
  let lifetime: Lifetime
  let scheduler: any WorkScheduler
  let events: EventQueue
  let options: SedimentOptions
  let index: HashIndex
  let allocatesBlocks: Bool
  /// What the jobs that this store has do.
  var works: [Job: Work] = [:]

  enum Job: CaseIterable {
    case fillIndex, sync, checkpoint, grow, sweep, window, maintain, storeIndex, train, tellEvents
  }

  init(
    _ opened: OpenedStore, _ lifetime: Lifetime, _ options: SedimentOptions, _ scheduler: any WorkScheduler
  ) {
    self.lifetime = lifetime
    self.scheduler = scheduler
    self.options = options
    index = opened.index
    allocatesBlocks = opened.volume.file.traits.allocatesBlocks
    let events = EventQueue(options.observer)
    self.events = events
    if hasObserver { works[.tellEvents] = Work { events.deliver() } }
  }

  /// Ends all work, in an order that is always the same, and lets go of the components that it holds.
  func end() {
    for job in Job.allCases { works[job]?.cancelAndWait() }
  }

  /// The jobs that wait for their time or run; none in a store at rest.
  var pendingJobs: [Job] { Job.allCases.filter { works[$0]?.isPending ?? false } }

  /// Whether this thread is doing some of it.
  var isRunHere: Bool { Job.allCases.contains { works[$0]?.isRunHere ?? false } }

  /// Whoever opens a store for a few keys has them before the rest of the index takes memory and processors.
  static var fillingPauseNanoseconds: UInt64 { 10_000_000 }

  /// After so long it is tried again to fill the index, where a call has failed.
  static var fillingRetryNanoseconds: UInt64 { 10_000_000_000 }

  /// Lets a job run, if this store has it.
  func schedule(_ job: Job, after nanoseconds: UInt64 = 0) {
    if let work = works[job] { scheduler.schedule(work, after: nanoseconds) }
  }

  /// Whether somebody is told of events.
  var hasObserver: Bool { options.observer != nil }

  /// Lets the observer know soon; may be called with any lock held.
  func tell(_ event: SedimentEvent) {
    if events.add(event) { schedule(.tellEvents) }
  }
}

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
