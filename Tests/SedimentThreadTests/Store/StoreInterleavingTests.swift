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

/// A call that a test stops on its way while another one comes.
@Suite(.serialized) struct StoreInterleavingTests {
  @Test func `Pages may be larger than slots`() throws {
    let disk = StoppingDisk(BareStore.disk())
    disk.mappedPageByteCount.store(65_536, ordering: .relaxed)
    let store = try SedimentStore(
      path: BareStore.path, options: SedimentOptions(durability: .unsynced), disk: disk,
      scheduler: ManualScheduler())
    for number in 0..<3000 { try store.set([UInt8](repeating: 1, count: 4000), forKey: "\(number)") }
    let stores = disk.inner.violations.filter { $0.kind == .storeNotExposed }
    #expect(stores.first == nil)
    try store.close()
  }

  @Test func `A shorter interval is kept`() throws {
    let scheduler = ManualScheduler()
    let disk = BareStore.disk()
    let store = try BareStore.open(disk, SedimentOptions(durability: .interval(.seconds(60))), scheduler)
    try store.set("a", forKey: "a")
    try store.set("b", forKey: "b", durability: .interval(.milliseconds(10)))
    scheduler.advance(by: 11_000_000)
    #expect(store.statistics.syncCount == 1)
    try store.close()
  }

  @Test func `Whoever awaits a sync is told that the head failed`() async throws {
    let scheduler = ManualScheduler()
    let disk = BareStore.disk()
    let store = try BareStore.open(disk, SedimentOptions(durability: .unsynced), scheduler)
    try store.set("a", forKey: "a")
    let isDone = Flag()
    let task = Task {
      do { try await store.sync() } catch {}
      isDone.set()
    }
    while scheduler.pendingCount == 0 { await Task.yield() }
    // The checkpoint's own sync succeeds, that of its superblock fails.
    disk.injectForGood(.error(.inputOutput), fromCall: disk.callCount + 1, only: [.sync])
    var code: SedimentError.Code?
    do { try store.checkpoint() } catch { code = (error as? SedimentError)?.code }
    #expect(code == .outcomeUnknown)
    do { try store.set("b", forKey: "b") } catch { code = (error as? SedimentError)?.code }
    #expect(code == .outcomeUnknown)
    scheduler.runDue()
    #expect(await isDone.becomesTrue())
    try? store.close()
    await task.value
  }

  @Test(.disabled(if: hasThreadSanitizer, "A child may inherit a lock of the sanitizer's."))
  func `A child is refused while another thread of the parent writes`() throws {
    let disk = StoppingDisk(BareStore.disk())
    let store = try SedimentStore(
      path: BareStore.path, options: SedimentOptions(durability: .unsynced), disk: disk,
      scheduler: ManualScheduler())
    disk.stops.store(true, ordering: .releasing)
    // The first change opens the head, under the writer's lock.
    let thread = TestThread { try? store.set("a", forKey: "a") }
    disk.entered.wait(for: 1)
    let said = fromAThread {
      do {
        try store.set("b", forKey: "b")
        return 1
      } catch {
        return (error as? SedimentError)?.code == .forked ? 7 : 2
      }
    }
    #expect(said == 7)
    disk.stops.store(false, ordering: .releasing)
    disk.mayGo.add(100)
    thread.join()
    try store.close()
  }

  @Test func `An observer may close the store`() async {
    await #expect(processExitsWith: .success) {
      alarm(5)
      let box = WeakStore()
      let options = SedimentOptions(durability: .synced) { event in
        if case .synced = event { try? box.store?.close() }
      }
      let store = try BareStore.open(BareStore.disk(), options)
      box.store = store
      try? store.set("a", forKey: "a")
    }
  }

  @Test func `A batch that crowds the index loses no key`() throws {
    let disk = StoppingDisk(BareStore.disk())
    let options = SedimentOptions(durability: .unsynced)
    func open() throws -> SedimentStore {
      try SedimentStore(path: BareStore.path, options: options, disk: disk, scheduler: ManualScheduler())
    }
    try open().close()
    disk.drawn.withLock { $0 = [] }
    let store = try open()
    let alike = disk.keysAlike()
    for key in alike.prefix(200) { try store.set("value", forKey: key) }
    let rest = Array(alike.dropFirst(200)) + (0..<40).map { "other \($0)" }
    try store.batch { batch in
      for key in rest { batch.set("value", forKey: key) }
    }
    let lost = try rest.filter { try store.retrieve(forKey: $0) == nil }
    #expect(lost == [])
    try store.close()
  }

  @Test func `A refused change whose sync fails gives the lock back once`() throws {
    let disk = BareStore.disk()
    let store = try BareStore.open(disk)
    try store.set("a", forKey: "a")
    disk.inject(.error(.inputOutput), only: [.sync])
    #expect(throws: SedimentError.self) {
      try store.setIfAbsent("b", forKey: "a", durability: .synced)
    }
    try? store.close()
  }

  @Test func `A lookup of many sees what was set before its key`() throws {
    let store = try BareStore.open(BareStore.disk())
    try store.set("a", forKey: "a")
    try store.set("b", forKey: "b")
    var found: [String?] = []
    try store.withValues(forKeys: ["a", "b"]) { number, value in
      if let value { found.append(String(sedimentBytes: value)) } else { found.append(nil) }
      if number == 0 {
        try store.removeEverything()
        try store.set("new", forKey: "b")
      }
    }
    #expect(found == ["a", "new"])
    try store.close()
  }
}

/// Forks from a thread that takes the alarm, which the runtime's own do not.
func fromAThread(_ body: @escaping @Sendable () -> UInt8) -> UInt8? {
  let said = Mutex<UInt8?>(nil)
  TestThread.run {
    let result = inForkedChild {
      var all = sigset_t()
      unsafe sigemptyset(&all)
      unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
      alarm(3)
      return body()
    }
    said.withLock { $0 = result }
  }
  return said.withLock { $0 }
}

final class WeakStore: @unchecked Sendable {
  weak var store: SedimentStore?
}

final class Flag: Sendable {
  private let isSet = Atomic<Bool>(false)
  func set() { isSet.store(true, ordering: .releasing) }
  func becomesTrue() async -> Bool {
    for _ in 0..<2000 {
      if isSet.load(ordering: .acquiring) { return true }
      try? await Task.sleep(for: .milliseconds(1))
    }
    return false
  }
}
