import Cache
import Foundation
import Sediment
import SedimentTesting
import Testing

private struct Session: Codable, Sendable, Equatable {
  var user: String
  var visits: Int
}

/// The cache as a server uses it; the disk is simulated for its clock, which moves when it is told to.
@Suite struct CacheDriverTests {
  private let disk = SimulatedDisk(seed: 1)
  private let store: SedimentStore
  private let cache: any CacheDriver

  init() throws {
    store = try SedimentStore(path: "/cache", disk: disk)
    cache = try SedimentCache(store, collection: "sessions", isDurable: true)
  }

  @Test func `A value is found as it was set, and not after it was removed`() async throws {
    let session = Session(user: "ada", visits: 1)
    try await cache.set(session, forKey: "a", expiry: .never)
    #expect(try await cache.value(forKey: "a", as: Session.self) == session)
    #expect(try await cache.remove(forKey: "a"))
    #expect(try await cache.value(forKey: "a", as: Session.self) == nil)
    #expect(try await !cache.remove(forKey: "a"))
  }

  @Test func `A value is created only where there is none`() async throws {
    #expect(try await cache.create("first", forKey: "lock", expiry: .after(.seconds(10))))
    #expect(try await !cache.create("second", forKey: "lock", expiry: .after(.seconds(10))))
    #expect(try await cache.value(forKey: "lock", as: String.self) == "first")
    disk.advanceClocks(by: .seconds(10))
    #expect(try await cache.create("third", forKey: "lock", expiry: .never))
    #expect(try await cache.value(forKey: "lock", as: String.self) == "third")
  }

  @Test func `Of many who create a value at once, one succeeds`() async throws {
    let cache = cache
    let winners = try await withThrowingTaskGroup(of: Int?.self) { group in
      for number in 0..<20 {
        group.addTask { try await cache.create(number, forKey: "lock", expiry: .never) ? number : nil }
      }
      return try await group.compactMap { $0 }.reduce(into: []) { $0.append($1) }
    }
    #expect(try await winners == [cache.value(forKey: "lock", as: Int.self)])
  }

  @Test func `A value that replaces another one can keep its expiry`() async throws {
    try await cache.set(Session(user: "ada", visits: 1), forKey: "a", expiry: .after(.seconds(60)))
    disk.advanceClocks(by: .seconds(59))
    try await cache.set(Session(user: "ada", visits: 2), forKey: "a", expiry: .kept)
    #expect(try await cache.value(forKey: "a", as: Session.self)?.visits == 2)
    disk.advanceClocks(by: .seconds(1))
    #expect(try await cache.value(forKey: "a", as: Session.self) == nil)
  }

  @Test func `A value of another kind is an error, and stays`() async throws {
    try await cache.set("text", forKey: "a", expiry: .never)
    await #expect(throws: DecodingError.self) { try await cache.value(forKey: "a", as: Session.self) }
    #expect(try await cache.value(forKey: "a", as: String.self) == "text")
  }

  @Test func `What a durable cache has set or removed stays so after a power failure`() async throws {
    try await cache.set("secret", forKey: "a", expiry: .never)
    #expect(try await valueAfterPowerFailure(forKey: "a") == "secret")
    _ = try await cache.remove(forKey: "a")
    #expect(try await valueAfterPowerFailure(forKey: "a") == nil)
  }

  @Test func `A cache of a bounded size is warm when it is opened again, and never larger`() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("cache-\(UUID()).sediment")
    defer { try? FileManager.default.removeItem(at: file) }
    do {
      let cache = try SedimentCache(path: file.path, maxBytes: 1 << 20)
      for number in 0..<3_000 {
        try await cache.set([UInt64](repeating: .max, count: 50), forKey: "\(number)", expiry: .never)
      }
    }
    let byteCount = try FileManager.default.attributesOfItem(atPath: file.path)[.size] as? Int
    #expect(try #require(byteCount) <= 1 << 20)
    let cache = try SedimentCache(path: file.path, maxBytes: 1 << 20)
    #expect(try await cache.value(forKey: "2999", as: [UInt64].self)?.count == 50)
  }

  /// What is there if the disk keeps nothing but what was synced.
  private func valueAfterPowerFailure(forKey key: String) async throws -> String? {
    let left = disk.crashState.afterPowerLoss(.nothing)
    let reopened = try SedimentCache(
      SedimentStore(path: "/cache", disk: left), collection: "sessions", isDurable: true)
    return try await reopened.value(forKey: key, as: String.self)
  }
}
