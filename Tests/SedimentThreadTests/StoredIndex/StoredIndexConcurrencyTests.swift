import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A disk on which the next write lets another thread close a store, and goes on once that has begun.
private final class ClosingDisk: ForwardingDisk, @unchecked Sendable {
  let storeToClose = Mutex<SedimentStore?>(nil)
  let closer = Mutex<TestThread?>(nil)

  override func file(_ file: any DiskFile) -> any DiskFile { ClosingFile(file, self) }

  func beginToClose() {
    guard let store = storeToClose.withLock({ $0.take() }) else { return }
    closer.withLock { $0 = TestThread { try? store.close() } }
    while code({ _ = try store.contains("0") }) != .closed { sched_yield() }
  }

  func waitForClose() {
    closer.withLock { $0.take() }?.join()
  }
}

private final class ClosingFile: ForwardingFile, @unchecked Sendable {
  private let disk: ClosingDisk

  init(_ inner: any DiskFile, _ disk: ClosingDisk) {
    self.disk = disk
    super.init(inner)
  }

  override func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) {
    disk.beginToClose()
    try inner.write(bytes, at: offset)
  }
}

/// The index is stored while writers go on.
struct StoredIndexConcurrencyTests {
  private static let keyCount = 3000

  /// One change of a key, or of several, in the store or one of its collections.
  private static func change(
    _ store: SedimentStore, _ users: SedimentCollection, _ generator: inout SeededGenerator
  ) throws {
    let key = "key \(Int.random(in: 0..<keyCount, using: &generator))"
    let value = [UInt8](repeating: 3, count: Int.random(in: 0..<90, using: &generator))
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<40: try store.set(value, forKey: key)
    case 40..<60: try users.set(value, forKey: key, expiry: .at(milliseconds: 1 << 46))
    case 60..<75: try store.remove(forKey: key)
    case 75..<85: try users.remove(forKey: key)
    case 85..<99:
      try store.batch { batch in
        batch.set(value, forKey: key)
        batch.remove(forKey: "\(key)0")
        batch.set(value, forKey: key, in: users)
      }
    default: if Int.random(in: 0..<40, using: &generator) == 0 { try users.removeAll() }
    }
  }

  @Test(arguments: accesses)
  func `An index that is being written when the store is closed is not adopted behind the close`(
    access: SedimentOptions.Access
  ) throws {
    let disk = ClosingDisk(SimulatedDisk(seed: 1))
    let options = SedimentOptions(durability: .unsynced, access: access)
    let store = try SedimentStore(
      path: StoreFixture.path, options: options, disk: disk, scheduler: ManualScheduler())
    for number in 0..<100 { try store.set("value", forKey: "\(number)") }
    disk.storeToClose.withLock { $0 = store }
    #expect(try !store.storeIndex())
    disk.waitForClose()
    let again = try SedimentStore(
      path: StoreFixture.path, options: options, disk: disk.inner, scheduler: ManualScheduler())
    #expect(again.recovery.wasClosed)
    #expect(again.recovery.storedKeyCount == 0)
    #expect(try again.count() == 100)
    try again.close()
  }

  @Test(arguments: [SedimentOptions.Access.automatic, .unmapped])
  func `What is stored while writers go on is what a scan finds`(access: SedimentOptions.Access) throws {
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 5, fileByteCountMax: 128 << 20))
    let fixture = try StoreFixture(access, on: disk)
    let store = fixture.store
    let users = try store.collection("users")
    for number in 0..<Self.keyCount { try store.set("first", forKey: "key \(number)") }
    for round in 0..<ConcurrencyScale.of(120) {
      let crew = Crew()
      for thread in 0..<2 {
        crew.start { _ in
          var generator = SeededGenerator(seed: UInt64(round * 2 + thread))
          for _ in 0..<400 { try Self.change(store, users, &generator) }
        }
      }
      try crew.work { crew in
        if try !store.storeIndex() { crew.complain("the index was not stored in round \(round)") }
        let report = try disk.afterProcessDeath().expectSameIndex("round \(round)")
        if report.storedCount == 0 { crew.complain("nothing of it was used in round \(round)") }
      }
    }
  }
}
