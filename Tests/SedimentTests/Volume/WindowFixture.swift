import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// A store that has a window of one slot, which its tests fill.
struct WindowFixture {
  let fixture: StoreFixture

  var store: SedimentStore { fixture.store }
  var disk: SimulatedDisk { fixture.disk }

  /// How many bytes the ring has.
  static let byteCount = 12 << 10

  init(_ access: SedimentOptions.Access = .automatic, on disk: SimulatedDisk = SimulatedDisk(seed: 1)) throws
  {
    fixture = try StoreFixture(access, on: disk)
    fixture.options.useSmallWindow()
    try fixture.reopen()
    // The first change finds that there is none.
    try fixture.store.set("first", forKey: "first")
    fixture.scheduler.runDue()
  }

  /// The segments of windows that the file has.
  var windows: [SedimentSegment] { store.segments.filter { $0.kind == .window } }

  /// How many calls write while `body` runs.
  func writeCount(_ body: () throws -> Void) rethrows -> Int {
    let call = disk.callCount
    try body()
    return fixture.count(.write, since: call)
  }

  /// Sets keys of three digits, of which each record takes so many bytes.
  func set(_ numbers: Range<Int>, recordByteCount: Int = 128) throws {
    for number in numbers {
      try store.set(Self.value(number, recordByteCount: recordByteCount), forKey: Self.key(number))
    }
  }

  static func key(_ number: Int) -> String { String("\(1_000 + number)".dropFirst()) }

  static func value(_ number: Int, recordByteCount: Int = 128) -> [UInt8] {
    pattern(recordByteCount - 16 - 3, number)
  }

  /// Whether a store has the keys of some numbers and those alone, besides `first`.
  static func holds(_ numbers: Range<Int>, recordByteCount: Int = 128, _ store: SedimentStore) throws -> Bool
  {
    guard store.statistics.liveKeyCount == numbers.count + 1 else { return false }
    for number in numbers {
      let found: [UInt8]? = try store.retrieve(forKey: key(number))
      guard found == value(number, recordByteCount: recordByteCount) else { return false }
    }
    return try store.retrieve(forKey: "first", as: String.self) == "first"
  }

  /// A store opened of the disk after the process has died now.
  func afterDeath(_ change: (inout SedimentOptions) -> Void = { _ in }) throws -> SedimentStore {
    try Self.opened(disk.afterProcessDeath(), fixture.options, change)
  }

  static func opened(
    _ disk: SimulatedDisk, _ options: SedimentOptions, _ change: (inout SedimentOptions) -> Void = { _ in }
  ) throws -> SedimentStore {
    var options = options
    change(&options)
    return try SedimentStore(
      path: StoreFixture.path, options: options, disk: disk, scheduler: ManualScheduler())
  }
}
