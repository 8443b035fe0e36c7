public import SedimentDisk

/// Does the background work of stores only when it is told to, on the thread that calls.
///
/// It is for tests, above all on the simulated disk of `SedimentTesting`: a store that uses it does the same in each
/// run. Without it, threads of the process do the work.
///
///     let background = ManualBackground()
///     let store = try SedimentStore(path: "data/store", disk: disk, background: background)
///     try store.set("one", forKey: "a")
///     background.advance(by: .seconds(1))  // The value is on the disk now.
public final class ManualBackground: Sendable {
  let scheduler = ManualScheduler()

  /// Creates a background without work, with a clock that stands still.
  public init() {}

  /// Does the work that is due now, such as compacting and storing the index, and returns how many jobs that were.
  @discardableResult
  public func run() -> Int { scheduler.runDue() }

  /// Moves its clock forward, and does each job that becomes due; a duration below zero does nothing.
  public func advance(by duration: Duration) {
    if duration >= .zero { scheduler.advance(by: duration.nanosecondsClamped) }
  }
}

extension SedimentStore {
  /// Opens the store on a disk of the caller's, with its background work done by `background`.
  public convenience init(
    path: String, options: SedimentOptions = SedimentOptions(), disk: any Disk, background: ManualBackground
  ) throws {
    try self.init(path: path, options: options, disk: disk, scheduler: background.scheduler)
  }
}
