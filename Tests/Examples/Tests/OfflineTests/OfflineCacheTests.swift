import Foundation
import Offline
import Sediment
import SedimentTesting
import Shallows
import Synchronization
import Testing

private struct Article: Codable, Sendable, Equatable {
  var title: String
}

/// A service that counts what it is asked, and can be out of reach.
private final class Service: Sendable {
  struct OutOfReach: Error {}

  private let state = Mutex<(asked: [String], isOnline: Bool)>(([], true))

  var asked: [String] { state.withLock(\.asked) }

  func goOffline() { state.withLock { $0.isOnline = false } }

  func fetch(_ key: String) throws -> Article {
    try state.withLock { state in
      guard state.isOnline else { throw OutOfReach() }
      state.asked.append(key)
      return Article(title: "\(key), \(state.asked.count)")
    }
  }
}

/// The tiers together; the disk is simulated for its clock, which moves when it is told to.
@Suite struct OfflineCacheTests {
  private let disk: SimulatedDisk
  private let service = Service()
  private let store: SedimentStore
  private let cache: OfflineCache<Article>

  init() throws {
    // Memory goes by the real clock, so the disk's begins with it.
    let now = UInt64(Date().timeIntervalSince1970 * 1_000)
    disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, wallClock: now))
    store = try SedimentStore(path: "/articles", disk: disk)
    cache = Self.cache(store, service)
  }

  private static func cache(_ store: SedimentStore, _ service: Service) -> OfflineCache<Article> {
    OfflineCache(store, name: "articles", countInMemory: 2, age: .seconds(3600)) { try service.fetch($0) }
  }

  @Test func `A value is fetched once, and then comes from memory, and from the file`() async throws {
    let article = Article(title: "a, 1")
    #expect(try await cache.value(forKey: "a") == article)
    #expect(try await cache.value(forKey: "a") == article)
    #expect(cache.memory.value(forKey: "a") == article)
    cache.memory.purge()
    #expect(try await cache.value(forKey: "a") == article)
    #expect(cache.memory.value(forKey: "a") == article)
    #expect(service.asked == ["a"])
  }

  @Test func `Memory keeps what was used last, and the file the rest`() async throws {
    for key in ["a", "b", "c"] { _ = try await cache.value(forKey: key) }
    #expect(cache.memory.keysByLastUse == ["c", "b"])
    #expect(try await cache.value(forKey: "a").title == "a, 1")
    #expect(service.asked == ["a", "b", "c"])
  }

  @Test func `Without a network, also after a restart, there is what was fetched before`() async throws {
    _ = try await cache.value(forKey: "a")
    try store.close()
    service.goOffline()
    let again = Self.cache(try SedimentStore(path: "/articles", disk: disk), service)
    #expect(try await again.value(forKey: "a").title == "a, 1")
    await #expect(throws: Service.OutOfReach.self) { try await again.value(forKey: "b") }
  }

  @Test func `A value expires in memory when it does in the file, and is fetched again then`() async throws {
    _ = try await cache.value(forKey: "a")
    #expect(try await expiry(of: "a", in: cache.memory.asStorage()) != .never)

    cache.memory.purge()
    _ = try await cache.value(forKey: "a")
    let inFile = try await expiry(of: "a", in: cache.disk)
    #expect(inFile != .never)
    #expect(try await expiry(of: "a", in: cache.memory.asStorage()) == inFile)

    cache.memory.purge()
    disk.advanceClocks(by: .seconds(3600))
    #expect(try await cache.value(forKey: "a").title == "a, 2")
  }

  @Test func `However many ask for a value at once, it is fetched once`() async throws {
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    let service = service
    let cache = OfflineCache(store, name: "slow", countInMemory: 2, age: .seconds(60)) { key in
      for await _ in gate {}
      return try service.fetch(key)
    }
    // By completions, so that all have asked before the service can answer.
    let (answers, answer) = AsyncStream.makeStream(of: String?.self)
    for _ in 0..<10 { cache.values.retrieve(forKey: "a") { answer.yield(try? $0.get().title) } }
    open.finish()
    let titles = await answers.prefix(10).reduce(into: []) { $0.append($1) }
    #expect(titles == Array(repeating: "a, 1", count: 10))
    #expect(service.asked == ["a"])
  }

  @Test func `What is forgotten is fetched again`() async throws {
    _ = try await cache.value(forKey: "a")
    try await cache.forget(key: "a")
    #expect(try await cache.value(forKey: "a").title == "a, 2")
  }

  private func expiry(of key: String, in storage: Storage<String, Article>) async throws -> StorageExpiry {
    try await withCheckedThrowingContinuation { continuation in
      storage.answer(withExpiryForKey: key).deliver { result in
        continuation.resume(with: result.map(\.expiry))
      }
    }
  }
}
