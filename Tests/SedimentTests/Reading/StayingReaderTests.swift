import Sediment
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// Readers that stay inside a closure, or keep a pin: they cost others the segment that they read, and nothing else.
@Suite struct StayingReaderTests {
  /// The ways to stay with a value in place.
  enum Way: CaseIterable {
    case value, values, each, keys, update, pin, decoding, decodingWithExpiry

    /// Reads a key's value and calls a closure while the reader stays; compares the bytes before and after it.
    func stay(
      with key: String, _ expected: [UInt8], of store: SedimentStore, _ body: () throws -> Void
    ) throws {
      var isFirst = true
      switch self {
      case .value:
        try store.withValue(forKey: key) { try stay($0, expected, body) }
      case .values:
        try store.withValues(forKeys: [key, key]) { _, value in
          if isFirst, let value { try stay(value, expected, body) }
          isFirst = false
        }
      case .each:
        try store.forEach { found, value in
          guard [UInt8](sedimentBytes: found) == Array(key.utf8) else { return .continue }
          try stay(value, expected, body)
          return .stop
        }
      case .keys:
        try store.forEachKey(withPrefix: key) { found in
          guard [UInt8](sedimentBytes: found) == Array(key.utf8) else { return .continue }
          try stay(found, Array(key.utf8), body)
          return .stop
        }
      case .update:
        try store.update(forKey: key) { old in
          if isFirst { try body() }
          isFirst = false
          return old
        }
      case .pin:
        let pinned = try key.withSedimentBytes { try store.pin($0) }
        let bytes = unsafe try #require(pinned).bytes
        try unsafe stay(RawSpan(_unsafeBytes: bytes), expected, body)
        withExtendedLifetime(pinned) {}
      case .decoding:
        try Decoded.whileDecoding {
          try stay($0, expected, body)
        } call: {
          _ = try store.retrieve(forKey: key, as: Decoded.self)
        }
      case .decodingWithExpiry:
        try Decoded.whileDecoding {
          try stay($0, expected, body)
        } call: {
          _ = try store.retrieveExpiring(forKey: key, as: Decoded.self)
        }
      }
    }

    /// A type whose initializer takes its time.
    private struct Decoded: SedimentDecodable {
      // Sendable: only the thread that sets it calls it.
      private final class Call: @unchecked Sendable {
        let body: (RawSpan) -> Void

        init(_ body: @escaping (RawSpan) -> Void) { self.body = body }
      }

      @TaskLocal private static var call: Call?

      init(sedimentBytes bytes: RawSpan) { Self.call?.body(bytes) }

      /// Makes a call, and calls a closure while it decodes.
      static func whileDecoding(_ body: (RawSpan) throws -> Void, call: () throws -> Void) throws {
        var outcome = Result<Void, any Error>.success(())
        try withoutActuallyEscaping(body) { body in
          let whileDecoding = Call { bytes in outcome = Result { try body(bytes) } }
          try $call.withValue(whileDecoding, operation: call)
        }
        try outcome.get()
      }
    }

    private func stay(_ span: RawSpan, _ expected: [UInt8], _ body: () throws -> Void) throws {
      #expect(same([UInt8](sedimentBytes: span), expected))
      try body()
      #expect(same([UInt8](sedimentBytes: span), expected))
    }
  }

  /// A full store that evicts, and a key that it has.
  private func fullCache(valueByteCount: Int = 1_000) throws -> (fixture: StoreFixture, key: String) {
    let fixture = try StoreFixture(on: SimulatedDisk(seed: 3))
    try fixture.close()
    fixture.options.capacity = .evicting(maxBytes: 4 << 20)
    try fixture.open()
    let count = (5 << 20) / valueByteCount
    for number in 0..<count {
      try fixture.store.set(pattern(valueByteCount, number), forKey: "\(number)")
      if number % 16 == 0 { fixture.scheduler.runDue() }
    }
    return (fixture, "\(count - 1)")
  }

  @Test(arguments: Way.allCases, [1_000, 200_000])
  func `A full cache takes every set while a reader stays`(way: Way, byteCount: Int) throws {
    let (fixture, key) = try fullCache(valueByteCount: byteCount)
    let store = fixture.store
    let expected = try #require(try store.retrieve(forKey: key))
    let count = (6 << 20) / byteCount
    try way.stay(with: key, expected, of: store) {
      for number in 0..<count {
        try store.set(pattern(byteCount, number), forKey: "more \(number)")
        #expect(try same(store.retrieve(forKey: "more \(number)"), pattern(byteCount, number)))
        if number % 64 == 0 { fixture.scheduler.runDue() }
      }
      // Most of the cache is of use all the same.
      #expect(try store.count() > (2 << 20) / byteCount)
      // None is refused; whether the older ones are still there is the cache's business.
      for number in count - 8..<count { try store.remove(forKey: "more \(number)") }
    }
    #expect(store.statistics.fileByteCount <= 4 << 20)
    fixture.scheduler.runDue()
    #expect(fixture.store.accountFindings() == [])
    #expect(fixture.disk.violations.first == nil)
  }

  @Test(arguments: Way.allCases)
  func `A store half full of live values takes every change while a reader stays`(way: Way) throws {
    let fixture = try StoreFixture(maxByteCount: 4 << 20, on: SimulatedDisk(seed: 4))
    let store = fixture.store
    let count = (2 << 20) / 1_040
    for number in 0..<count { try store.set(pattern(1_000, number), forKey: "\(number)") }
    try way.stay(with: "77", pattern(1_000, 77), of: store) {
      for round in 1...2 {
        for number in 0..<count where number != 77 {
          try store.set(pattern(1_000, number + round), forKey: "\(number)")
          if number % 64 == 0 { fixture.scheduler.runDue() }
        }
      }
      for number in 0..<count where number % 2 == 0 { #expect(try store.remove(forKey: "\(number)")) }
      try store.compact()
    }
    for number in 0..<count {
      let expected: [UInt8]? = number % 2 == 0 ? nil : pattern(1_000, number == 77 ? 77 : number + 2)
      #expect(try store.retrieve(forKey: "\(number)") == expected)
    }
    #expect(store.accountFindings() == [])
    #expect(fixture.disk.violations.first == nil)
  }

  /// Sets values of new keys until one is refused; the error, and how many there were.
  private func fill(_ store: SedimentStore, _ name: String) throws -> (error: SedimentError, count: Int) {
    for number in 0..<8_000 {
      do {
        try store.set(pattern(1_000, number), forKey: "\(name) \(number)")
      } catch let error as SedimentError where error.code == .outOfSpace {
        return (error, number)
      }
    }
    throw SedimentError(.inputOutput, path: store.path, message: "It is never full.")
  }

  /// Calls a closure while values of several keys are read in place.
  private func stay(
    with keys: some Collection<String>, of store: SedimentStore, _ body: () throws -> Void
  ) throws {
    guard let key = keys.first else { return try body() }
    _ = try store.withValue(forKey: key) { _ in try stay(with: keys.dropFirst(), of: store, body) }
  }

  @Test func `A refused change says that readers keep freed space, and spares others its search`() throws {
    let fixture = try StoreFixture(maxByteCount: 4 << 20, on: SimulatedDisk(seed: 7))
    let store = fixture.store
    let (error, count) = try fill(store, "first")
    #expect(!error.message.contains("freed bytes"))
    // Values in some of the segments.
    let keys = stride(from: 0, to: count, by: 400).map { "first \($0)" }
    try stay(with: keys, of: store) {
      for number in 0..<count { try store.remove(forKey: "first \(number)") }
      for round in 0..<2 {
        let (error, _) = try fill(store, "round \(round)")
        #expect(error.message.contains("freed bytes come back once closures that read"))
        let callCount = fixture.disk.calls.count
        #expect(throws: SedimentError.self) { try store.set(pattern(1_000, 1), forKey: "refused") }
        // Nothing is searched, written or synced for it.
        #expect(fixture.disk.calls.count == callCount, "\(fixture.disk.calls[callCount...])")
        #expect(try store.remove(forKey: "round 0 \(round)"))
      }
    }
    fixture.scheduler.runDue()
    try store.set(pattern(1_000, 1), forKey: "taken")
    #expect(store.accountFindings() == [])
  }

  @Test func `A refused change says that a backup keeps freed space`() throws {
    let fixture = try StoreFixture(maxByteCount: 4 << 20, on: SimulatedDisk(seed: 8))
    let store = fixture.store
    let count = try fill(store, "first").count
    var message = ""
    try store.backup(to: "data/copy") { _ in
      guard message.isEmpty else { return .continue }
      for number in 0..<count { _ = try? store.remove(forKey: "first \(number)") }
      message = (try? fill(store, "more").error.message) ?? "never full"
      return .continue
    }
    #expect(message.contains("come back once a backup has ended"), "\(message)")
    #expect(store.accountFindings() == [])
  }

  @Test func `What a reader holds comes back when it leaves, and the background rests until then`() throws {
    let fixture = try StoreFixture(on: SimulatedDisk(seed: 5))
    let store = fixture.store
    for number in 0..<8_000 { try store.set(pattern(1_000, number), forKey: "\(number)") }
    let full = store.statistics.usedByteCount
    var held: UInt64 = 0
    try store.withValue(forKey: "4000") { value in
      try store.removeEverything()
      try store.sync()
      fixture.scheduler.advance(by: 60_000_000_000)
      held = store.statistics.usedByteCount
      #expect(held < full / 4)
      // Nobody looks whether the reader has left.
      #expect(fixture.scheduler.nanosecondsToFirst == nil)
      #expect(same([UInt8](sedimentBytes: value), pattern(1_000, 4000)))
    }
    #expect(fixture.scheduler.nanosecondsToFirst == 0)
    fixture.scheduler.advance(by: 60_000_000_000)
    #expect(store.statistics.usedByteCount < held)
    #expect(fixture.scheduler.nanosecondsToFirst == nil)
  }

  @Test func `A walk gives each key once, though its closure changes and moves what follows`() throws {
    let fixture = try StoreFixture(on: SimulatedDisk(seed: 6))
    let store = fixture.store
    let count = 3_000
    for number in 0..<count { try store.set(pattern(500, number), forKey: "\(number)") }
    var seen: [Int: Int] = [:]
    var removed: Set<Int> = []
    var changeCount = 0
    try store.forEach { key, value in
      let number = try #require(Int(String(decoding: [UInt8](sedimentBytes: key), as: UTF8.self)))
      #expect(!removed.contains(number))
      seen[number, default: 0] += 1
      #expect(same([UInt8](sedimentBytes: value), pattern(500, number)))
      if seen.count % 300 == 150 {
        changeCount += 1
        for other in 0..<count where other % 7 == changeCount && !removed.contains(other) {
          try store.set(pattern(500, other), forKey: "\(other)")
        }
        for other in 0..<count where other % 97 == changeCount && seen[other] == nil {
          try store.remove(forKey: "\(other)")
          removed.insert(other)
        }
        try store.compact()
        fixture.scheduler.runDue()
      }
      return .continue
    }
    #expect(changeCount == 10)
    #expect(!removed.isEmpty)
    for number in 0..<count { #expect(seen[number] == (removed.contains(number) ? nil : 1)) }
    #expect(fixture.disk.violations.first == nil)
  }

  @Test func `Eight threads change a full cache while one reader stays`() throws {
    let directory = try StoreDirectory()
    var options = SedimentOptions(durability: .unsynced)
    options.capacity = .evicting(maxBytes: 4 << 20)
    let store = try SedimentStore(path: directory["store"], options: options)
    for number in 0..<6_000 { try store.set(pattern(1_000, number), forKey: "\(number)") }
    let inside = Counter()
    let mayLeave = Counter()
    let wasSame = Counter()
    let done = Counter()
    let removed = Counter()
    let reader = TestThread {
      _ = try? store.withValue(forKey: "5999") { value in
        inside.add()
        mayLeave.wait(for: 1)
        if same([UInt8](sedimentBytes: value), pattern(1_000, 5999)) { wasSame.add() }
      }
    }
    inside.wait(for: 1)
    let threads = (0..<8).map { thread in
      TestThread {
        for number in 0..<1_000 {
          let key = "\(thread) \(number)"
          if (try? store.set(pattern(1_000, number), forKey: key)) != nil { done.add() }
          if number % 10 == 0, (try? store.remove(forKey: key)) != nil { removed.add() }
        }
      }
    }
    for thread in threads { thread.join() }
    #expect(done.value == 8_000)
    #expect(removed.value == 800)
    mayLeave.add()
    reader.join()
    #expect(wasSame.value == 1)
    try store.close()
  }
}
