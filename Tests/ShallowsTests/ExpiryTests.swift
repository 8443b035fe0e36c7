import Foundation
import Shallows
import Testing

/// Values that cease to be there.
struct ExpiryTests {
  private let clock = TestClock()

  private func after(seconds: TimeInterval) -> Date { clock.now.addingTimeInterval(seconds) }

  @Test func `What is set expires after a time, or at one`() async throws {
    let base = TimedStorage(clock)
    let later = after(seconds: 5)
    for storage in [base.expiring(after: .seconds(5)), base.expiring(at: later)] {
      try await storage.set(1, forKey: "a")
      #expect(base.end(of: "a") == later)
    }
    try await base.asWriteOnlyStorage().expiring(after: .seconds(5)).set(1, forKey: "b")
    try await base.asWriteOnlyStorage().expiring(at: later).set(1, forKey: "c")
    #expect(base.end(of: "b") == later && base.end(of: "c") == later)
    #expect(try await base.retrieve(forKeys: ["a", "b", "c"]) == [1, 1, 1])
    clock.advance(bySeconds: 5)
    #expect(try await base.retrieve(forKeys: ["a", "b", "c"]) == [nil, nil, nil])
  }

  @Test func `A single set may say when its value expires`() async throws {
    let base = TimedStorage(clock)
    try await base.set(1, forKey: "a", expiry: .after(.seconds(3)))
    #expect(base.end(of: "a") == after(seconds: 3))
    try await base.expiring(after: .seconds(3)).set(1, forKey: "a", expiry: .after(.seconds(8)))
    #expect(base.end(of: "a") == after(seconds: 8))
    let told = results { base.set(1, forKey: "a", expiry: .at(after(seconds: 9)), completion: $0) }
    #expect(told.map(\.isSuccess) == [true] && base.end(of: "a") == after(seconds: 9))
  }

  @Test(arguments: Layer.all)
  func `An expiry goes through every transform, in both directions`(layer: Layer) async throws {
    let base = TimedStorage(clock)
    let storage = layer.make(base.asStorage())
    try await storage.set(1, forKey: "a", expiry: .at(after(seconds: 4)))
    #expect(base.end(of: "a") == after(seconds: 4))
    let front = TimedStorage(clock)
    #expect(try await front.combined(with: storage).retrieve(forKey: "a") == 1)
    #expect(front.end(of: "a") == after(seconds: 4))
    let other = TimedStorage(clock)
    #expect(try await other.combined(with: storage).retrieve(forKeys: ["a"]) == [1])
    #expect(other.end(of: "a") == after(seconds: 4))
    #expect(layer.make(base.expiring(after: .seconds(7))).defaultExpiry == .after(.seconds(7)))
  }

  @Test func `A value that is pulled lives no longer in any tier than in the last`() async throws {
    let tiers = (0..<3).map { _ in TimedStorage(clock) }
    try await tiers[2].set(1, forKey: "a", expiry: .after(.seconds(6)))
    let storage = tiers[0].backed(by: tiers[1].combined(with: tiers[2]))
    #expect(try await storage.retrieve(forKey: "a") == 1)
    #expect(tiers.allSatisfy { $0.end(of: "a") == after(seconds: 6) })
    clock.advance(bySeconds: 6)
    await #expect(throws: StorageError.noValue) { try await storage.retrieve(forKey: "a") }
  }

  @Test func `What a tier in the middle gives an expiry, no tier before it has longer`() async throws {
    let (memory, disk, service) = (TimedStorage(clock), TimedStorage(clock), TimedStorage(clock))
    for key in ["a", "b"] { try await service.set(1, forKey: key) }
    let storage = memory.combined(with: disk.expiring(after: .seconds(6)).backed(by: service))
    #expect(try await storage.retrieve(forKey: "a") == 1)
    #expect(try await storage.retrieve(forKeys: ["b"]) == [1])
    for key in ["a", "b"] {
      #expect(disk.end(of: key) == after(seconds: 6))
      #expect(memory.end(of: key) == after(seconds: 6))
    }
  }

  @Test(arguments: [StorageCombinationSetStrategy.frontFirst, .backFirst])
  func `A value that is set lives no longer in the front than in a back with an expiry of its own`(
    strategy: StorageCombinationSetStrategy
  ) async throws {
    let (front, back) = (TimedStorage(clock), TimedStorage(clock))
    let storage = front.combined(with: back.expiring(after: .seconds(5)), setStrategy: strategy)
    try await storage.set(1, forKey: "a")
    // What the back's own expiry makes of the front's is told by the wall clock.
    #expect(back.end(of: "a") == after(seconds: 5))
    let (end, now) = (try #require(front.end(of: "a")), Date())
    #expect(now < end && end <= now + 5)
    let brief = front.expiring(after: .seconds(2))
      .combined(with: back.expiring(after: .seconds(5)), setStrategy: strategy)
    try await brief.set(1, forKey: "a")
    let briefEnd = try #require(front.end(of: "a"))
    #expect(now < briefEnd && briefEnd < end && back.end(of: "a") == after(seconds: 5))
    let lasting = front.expiring(after: .seconds(2)).combined(with: back, setStrategy: strategy)
    try await lasting.set(1, forKey: "a")
    #expect(front.end(of: "a") == after(seconds: 2) && back.end(of: "a") == nil)
  }

  @Test func `An expiry is counted from the beginning of a set, however long the back takes`() async throws {
    let (front, slow) = (TimedStorage(clock), StorageProbe())
    let ends = Shared([StorageExpiry]())
    let back = HeldExpiry(slow, ends)
    let storage = front.combined(with: back, setStrategy: .backFirst)
    slow.hold([.set])
    let told = ResultList<Void>()
    let before = Date()
    storage.set(1, forKey: "a", expiry: .after(.seconds(60))) { told.append($0) }
    slow.waitForHeldCall()
    slow.release()
    told.waitForOne()
    guard case .at(let end)? = ends.value.first else { throw StorageError.noValue }
    #expect(before + 60 <= end && end <= Date() + 60)
    #expect(front.end(of: "a") == end)
  }

  @Test(arguments: Layer.waiting + [Layer("synchronized") { $0.synchronizedCalls() }])
  func `What waits before it sets counts an expiry from the beginning of the set`(layer: Layer) async throws {
    let ends = Shared([StorageExpiry]())
    let storage = layer.make(Storage(HeldExpiry(StorageProbe(), ends)))
    let before = Date()
    try await storage.set(1, forKey: "a", expiry: .after(.seconds(60)))
    guard case .at(let end)? = ends.value.first else { throw StorageError.noValue }
    #expect(before + 60 <= end && end <= Date() + 60)
  }

  @Test func `Both sides of a zip cease to be there at one time`() async throws {
    let (left, right) = (Shared([StorageExpiry]()), Shared([StorageExpiry]()))
    let storage = zip(HeldExpiry(StorageProbe(), left), HeldExpiry(StorageProbe(), right))
    try await storage.set((1, 2), forKey: "a", expiry: .after(.seconds(60)))
    guard case .at? = left.value.first else { throw StorageError.noValue }
    #expect(left.value == right.value)
  }

  @Test(arguments: [true, false])
  func `A value that is pulled is in the front no longer than the front lets it`(isBacked: Bool) throws {
    let (front, back) = (
      LRUStorage<String, Int>(capacity: .count(1)), LRUStorage<String, Int>(capacity: .count(1))
    )
    back.insert(1, forKey: "a", expiry: .after(.seconds(3_600)))
    let expiring = front.expiring(after: .seconds(60))
    let storage = isBacked ? expiring.backed(by: back) : expiring.combined(with: back)
    #expect(try storage.makeSyncStorage().retrieve(forKey: "a") == 1)
    let kept = try front.answer(withExpiryForKey: "a").result?.get()
    guard case .at(let end)? = kept?.expiry else { throw ProbeError() }
    #expect(end <= Date() + 60)
  }

  /// A back that takes expiries, and its time.
  private final class HeldExpiry: StorageProtocol, Sendable {
    private let gate: StorageProbe
    private let expiries: Shared<[StorageExpiry]>

    init(_ gate: StorageProbe, _ expiries: Shared<[StorageExpiry]>) {
      self.gate = gate
      self.expiries = expiries
    }

    func retrieve(forKey key: String, completion: @escaping (ShallowsResult<Int>) -> Void) {
      gate.retrieve(forKey: key, completion: completion)
    }

    func set(_ value: Int, forKey key: String, completion: @escaping (ShallowsResult<Void>) -> Void) {
      gate.set(value, forKey: key, completion: completion)
    }

    func answer(setting value: Int, forKey key: String, expiry: StorageExpiry) -> StorageAnswer<Void> {
      expiries.change { $0.append(expiry) }
      return .pending { completion in self.gate.set(value, forKey: key, completion: completion) }
    }
  }

  @Test func `A front with a shorter expiry of its own keeps it for what it pulls`() async throws {
    let (front, back) = (TimedStorage(clock), TimedStorage(clock))
    // Far away by the wall clock, which is what two expiries are compared by.
    let (soon, late) = (Date(timeIntervalSinceNow: 1_000), Date(timeIntervalSinceNow: 9_000))
    try await back.set(1, forKey: "a", expiry: .at(late))
    let storage = front.expiring(at: soon).combined(with: back)
    #expect(try await storage.retrieve(forKey: "a") == 1)
    #expect(front.end(of: "a") == soon)
  }

  @Test func `A pair expires with the first of both`() async throws {
    let (left, right, front) = (TimedStorage(clock), TimedStorage(clock), TimedStorage(clock))
    try await left.set(1, forKey: "a", expiry: .at(after(seconds: 9)))
    try await right.set(2, forKey: "a", expiry: .at(after(seconds: 4)))
    let sum = zip(left, right).mapValues(transformIn: { $0 + $1 }, transformOut: { ($0, 0) })
    #expect(try await front.combined(with: sum).retrieve(forKey: "a") == 3)
    #expect(front.end(of: "a") == after(seconds: 4))
    try await right.set(2, forKey: "a")
    try await front.removeAll()
    #expect(try await front.combined(with: sum).retrieve(forKeys: ["a"]) == [3])
    #expect(front.end(of: "a") == after(seconds: 9))
    try await zip(left, right).set((1, 2), forKey: "b", expiry: .at(after(seconds: 3)))
    #expect(left.end(of: "b") == after(seconds: 3) && right.end(of: "b") == after(seconds: 3))
  }

  @Test func `A storage without expiry says so, and does not keep what is to expire`() async throws {
    let back = TimedStorage(clock)
    let memory = MemoryStorage<String, Int>()
    let refusal = StorageError.notSupported(.expiry, storageName: memory.storageName)
    await #expect(throws: refusal) { try await memory.set(1, forKey: "a", expiry: .after(.seconds(1))) }
    await #expect(throws: refusal) { try await memory.expiring(after: .seconds(1)).set(1, forKey: "a") }
    // A back that can let it expire keeps it alone.
    try await memory.combined(with: back.expiring(after: .seconds(1))).set(2, forKey: "a")
    #expect(memory.storage.isEmpty && back.end(of: "a") != nil)
    await #expect(throws: StorageError.notSupported(.expiry, storageName: "mine")) {
      try await UserStorage().set(1, forKey: "a", expiry: .after(.seconds(1)))
    }
    try await back.set(1, forKey: "a", expiry: .after(.seconds(1)))
    let storage = memory.combined(with: back)
    #expect(try await storage.retrieve(forKey: "a") == 1)
    #expect(memory.storage.isEmpty)
    clock.advance(bySeconds: 1)
    await #expect(throws: StorageError.noValue) { try await storage.retrieve(forKey: "a") }
  }
}
