public import SedimentDisk

/// Does the background work of stores when it is told to, where threads of the process would do it by themselves.
///
/// It is for tests, above all those on the simulated disk of `SedimentTesting`: with it a store does the same each
/// time, on the thread that calls.
///
///     let background = ManualBackground()
///     let store = try SedimentStore(path: "data/store", disk: disk, background: background)
///     try store.set("one", forKey: "a")
///     background.advance(by: .seconds(1))  // What was set is on the disk now.
public final class ManualBackground: Sendable {
  let scheduler = ManualScheduler()

  /// Creates one with a clock of its own, which stands still.
  public init() {}

  /// Does what is due now, such as compaction and the storing of the index, and returns how many jobs there were.
  @discardableResult
  public func run() -> Int { scheduler.runDue() }

  /// Lets its clock run for some time, and does each job when it is due; a duration below zero is none.
  public func advance(by duration: Duration) {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return }
    let (whole, isTooLong) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLongByRest) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
    scheduler.advance(by: isTooLong || isTooLongByRest ? .max : sum)
  }
}

extension SedimentStore {
  /// Opens the store on a disk of the caller's, with its background work done when `background` is told to.
  public convenience init(
    path: String, options: SedimentOptions = SedimentOptions(), disk: any Disk, background: ManualBackground
  ) throws {
    try self.init(path: path, options: options, disk: disk, scheduler: background.scheduler)
  }
}
