import Events
import Sediment
import SedimentTesting
import Testing

/// What the crash checks have to know of an event store.
private struct EventScenario: CrashScenario {
  /// Appending so many events to a stream.
  struct Append {
    var stream: String
    var eventCount: Int
  }

  struct Storage {
    let store: SedimentStore
    let events: EventStore
  }

  /// Reading a stream and reading all say different things.
  struct Disagreement: Error {}

  private static let streams = ["one", "two", "three"]

  /// The events in their global order, as `stream/version: type`.
  var empty: [String] { [] }

  func open(on disk: SimulatedDisk) throws -> Storage {
    let store = try SedimentStore(
      path: "/events", options: SedimentOptions(durability: .unsynced), disk: disk,
      background: ManualBackground())
    return Storage(store: store, events: try EventStore(store))
  }

  func close(_ storage: Storage) throws -> CrashPromise {
    try storage.store.close()
    return .forEver
  }

  func contents(of storage: Storage) throws -> [String] {
    let all = try storage.events.readAll()
    guard try storage.events.count() == UInt64(all.count) else { throw Disagreement() }
    for stream in Self.streams {
      let events = all.filter { $0.stream == stream }
      guard try storage.events.read(stream: stream) == events,
        events.map(\.version) == Array(0..<UInt64(events.count))
      else { throw Disagreement() }
    }
    return all.map { "\($0.stream)/\($0.version): \($0.event.type)" }
  }

  func operation(using generator: inout SeededGenerator) -> Append {
    Append(
      stream: Self.streams.randomElement(using: &generator) ?? "one",
      eventCount: .random(in: 1...3, using: &generator))
  }

  func perform(_ append: Append, number: Int, on storage: Storage) throws -> CrashPromise {
    let new = (0..<append.eventCount).map { Event(type: "\(number).\($0)") }
    let version = try storage.events.version(of: append.stream)
    try storage.events.append(new, to: append.stream, expecting: .exactly(version))
    return .forEver
  }

  func apply(_ append: Append, number: Int, to contents: inout [String], on disk: SimulatedDisk) {
    for index in 0..<append.eventCount {
      let version = contents.count { $0.hasPrefix("\(append.stream)/") }
      contents.append("\(append.stream)/\(version): \(number).\(index)")
    }
  }
}

/// What the event store promises of crashes, tried at every moment of random histories.
@Suite struct EventCrashTests {
  @Test func `Whenever it crashes, appended events are there together, in one order, in all ways of reading`()
  {
    var check = CrashCheck(EventScenario())
    check.operationCount = 8
    let report = check.run(seeds: 0..<2)
    #expect(report.findings == [])
    #expect(report.imageCount > 200)
  }
}
