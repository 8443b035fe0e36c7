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
  var sync: Work?
  var checkpoint: Work?
  var grow: Work?
  var sweep: Work?
  var window: Work?
  var storeIndex: Work?
  var train: Work?
  var maintain: Work?
  private let tellEvents: Work?

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
    tellEvents = options.observer == nil ? nil : Work { events.deliver() }
  }

  private var all: [Work?] {
    [sync, checkpoint, grow, sweep, window, maintain, storeIndex, train, tellEvents]
  }

  /// Ends all work, and lets go of the components that it holds.
  func end() {
    for work in all { work?.cancelAndWait() }
  }

  /// Whether this thread is doing some of it.
  var isRunHere: Bool { all.contains { $0?.isRunHere ?? false } }

  /// Lets the observer know soon; may be called with any lock held.
  func tell(_ event: SedimentEvent) {
    guard events.add(event), let tellEvents else { return }
    scheduler.schedule(tellEvents, after: 0)
  }
}
