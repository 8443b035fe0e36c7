import Events
import Sediment
import SedimentTesting
import Testing

/// The event store as those use it who append, read and follow.
@Suite struct EventStoreTests {
  private let disk = SimulatedDisk(seed: 1)
  private let events: EventStore

  init() throws {
    events = try EventStore(SedimentStore(path: "/events", disk: disk))
  }

  private func types(_ events: [RecordedEvent]) -> [String] { events.map(\.event.type) }

  @Test func `Events are read from any version of a stream, and all in the order in which they came`() throws
  {
    #expect(try events.append([Event(type: "a"), Event(type: "b")], to: "one", expecting: .exactly(0)) == 2)
    #expect(try events.append([Event(type: "c", data: [1, 2])], to: "two", expecting: .any) == 1)
    #expect(try events.append([Event(type: "d")], to: "one", expecting: .exactly(2)) == 3)

    #expect(try types(events.read(stream: "one")) == ["a", "b", "d"])
    #expect(try types(events.read(stream: "one", from: 1)) == ["b", "d"])
    #expect(try types(events.read(stream: "one", from: 1, max: 1)) == ["b"])
    #expect(try types(events.read(stream: "one", from: 3)) == [])
    #expect(try types(events.read(stream: "none")) == [])
    #expect(try types(events.readAll()) == ["a", "b", "c", "d"])
    #expect(try types(events.readAll(from: 2, max: 1)) == ["c"])
    #expect(try types(events.readAll(from: 9)) == [])
    let last = try #require(try events.read(stream: "two").last)
    #expect(last.position == 2 && last.version == 0 && last.stream == "two" && last.event.data == [1, 2])
  }

  @Test func `Who expects another version appends nothing, and is told which there is`() throws {
    try events.append([Event(type: "a")], to: "one", expecting: .exactly(0))
    let conflict = VersionConflict(stream: "one", expected: 0, actual: 1)
    #expect(throws: conflict) {
      try events.append([Event(type: "b"), Event(type: "c")], to: "one", expecting: .exactly(0))
    }
    #expect(try types(events.readAll()) == ["a"])
    #expect(throws: UnnamedStream()) { try events.append([Event(type: "a")], to: "", expecting: .any) }
  }

  @Test func `Streams whose names begin alike are told apart`() throws {
    try events.append([Event(type: "short")], to: "a", expecting: .exactly(0))
    try events.append([Event(type: "long")], to: "a\0\0\0\0\0\0\0\0", expecting: .exactly(0))
    #expect(try types(events.read(stream: "a")) == ["short"])
    #expect(try types(events.read(stream: "a\0\0\0\0\0\0\0\0")) == ["long"])
  }

  @Test func `Of many who append at one version one succeeds, and those who try again all do`() async throws {
    let events = events
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<500 { try Self.append("\(writer).\(number)", to: "account", of: events) }
        }
      }
      try await group.waitForAll()
    }
    let found = try events.read(stream: "account", max: 3_000)
    #expect(found.map(\.version) == Array(0..<2_000))
    #expect(try found == events.readAll(max: 3_000))
    let expected = (0..<4).flatMap { writer in (0..<500).map { "\(writer).\($0)" } }
    #expect(Set(types(found)) == Set(expected))
  }

  /// Appends at the version that is there, again and again until nobody else was quicker.
  private static func append(_ type: String, to stream: String, of events: EventStore) throws {
    while true {
      let version = try events.version(of: stream)
      do {
        try events.append([Event(type: type)], to: stream, expecting: .exactly(version))
        return
      } catch is VersionConflict {}
    }
  }

  @Test func `A follower gets what was there and what comes, in order and once`() async throws {
    for number in 0..<150 { try events.append([Event(type: "\(number)")], to: "s", expecting: .any) }
    let events = events
    let follower = Task {
      var found: [String] = []
      for try await event in events.follow(from: 20) {
        found.append(event.event.type)
        if found.count == 280 { break }
      }
      return found
    }
    for number in 150..<300 { try events.append([Event(type: "\(number)")], to: "s", expecting: .any) }
    #expect(try await follower.value == (20..<300).map { "\($0)" })
  }

  @Test(.timeLimit(.minutes(1))) func `A follower that waits is woken, and ends when it is cancelled`()
    async throws
  {
    let events = events
    let (seen, see) = AsyncStream.makeStream(of: String.self)
    let follower = Task {
      var found: [String] = []
      for try await event in events.follow() {
        found.append(event.event.type)
        see.yield(event.event.type)
      }
      return found
    }
    var sights = seen.makeAsyncIterator()
    for type in ["a", "b", "c"] {
      try events.append([Event(type: type)], to: "s", expecting: .any)
      #expect(await sights.next() == type)
    }
    follower.cancel()
    #expect(try await follower.value == ["a", "b", "c"])
  }
}
