import Foundation
import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// One writer at a time, or any number of readers, in one process and several.
struct StoreLockTests {
  private let directory: StoreDirectory
  private var path: String { directory["store"] }

  init() throws {
    directory = try StoreDirectory()
  }

  @Test func `A store is opened once at a time in a process, whatever it is called by`() throws {
    let store = try SedimentStore(path: path)
    try FileManager.default.linkItem(atPath: path, toPath: directory["another"])
    for path in [path, directory["./store"], directory["another"]] {
      for options in [SedimentOptions(), SedimentOptions(readOnly: true)] {
        let error = #expect(throws: SedimentError.self) { try SedimentStore(path: path, options: options) }
        #expect(error?.code == .locked)
        #expect(error?.message.hasPrefix("This process has the store open already") == true)
      }
    }
    try store.set("value", forKey: "key")
    try store.close()
    #expect(try SedimentStore(path: directory["another"]).contains("key"))
  }

  @Test func `Readers share a store, and keep a writer out until the last is gone`() throws {
    try SedimentStore(path: path).close()
    let options = SedimentOptions(readOnly: true)
    let first = try SedimentStore(path: path, options: options)
    let second = try SedimentStore(path: path, options: options)
    #expect(code { _ = try SedimentStore(path: path) } == .locked)
    try first.close()
    #expect(code { _ = try SedimentStore(path: path) } == .locked)
    #expect(try second.count() == 0)
    try second.close()
    try SedimentStore(path: path).close()
  }

  @Test func `Another process is refused, and told which one has the store`() async throws {
    let store = try SedimentStore(path: path)
    try store.set("value", forKey: "key")
    let path = path
    await #expect(processExitsWith: .success) { [path = path as String, number = getpid() as Int32] in
      for options in [SedimentOptions(), SedimentOptions(readOnly: true)] {
        do {
          _ = try SedimentStore(path: path, options: options)
          preconditionFailure("it was opened twice")
        } catch let error as SedimentError {
          precondition(error.code == .locked)
          precondition(error.message.contains("Another process has the store open. Process \(number) "))
        }
      }
      do {
        try SedimentStore.destroy(path: path)
        preconditionFailure("it was destroyed")
      } catch let error as SedimentError {
        precondition(error.code == .locked)
      }
    }
    try store.set("value", forKey: "another")
    try store.close()
    await #expect(processExitsWith: .success) { [path = path as String] in
      let store = try SedimentStore(path: path)
      let count = try store.count()
      precondition(count == 2)
      try store.close()
    }
  }

  @Test func `A process that dies leaves the store to others, with all that it had changed`() async throws {
    let path = path
    await #expect(processExitsWith: .exitCode(7)) { [path = path as String] in
      let store = try SedimentStore(path: path, options: SedimentOptions(durability: .unsynced))
      for number in 0..<500 { try store.set(pattern(200, number), forKey: "\(number)") }
      try store.set(pattern(1 << 20), forKey: "large")
      _exit(7)
    }
    let store = try SedimentStore(path: path)
    #expect(!store.recovery.wasClosed)
    #expect(store.recovery.isDurable)
    #expect(store.recovery.cut != nil)
    #expect(try store.count() == 501)
    for number in 0..<500 { #expect(try store.retrieve(forKey: "\(number)") == pattern(200, number)) }
    #expect(try same(store.retrieve(forKey: "large"), pattern(1 << 20)))
  }

  @Test func `Of many threads that open a store, or make it, one has it`() throws {
    for round in 0..<10 {
      let path = directory["\(round)"]
      let opened = Counter()
      let refused = Counter()
      let mayClose = Counter()
      let threads = (0..<6).map { _ in
        TestThread {
          do {
            let store = try SedimentStore(path: path)
            opened.add()
            mayClose.wait(for: 1)
            try? store.close()
          } catch {
            if (error as? SedimentError)?.code == .locked { refused.add() }
          }
        }
      }
      #expect(eventually { opened.value + refused.value == 6 })
      #expect(opened.value == 1)
      mayClose.add()
      for thread in threads { thread.join() }
    }
    #expect(try directory.names == (0..<10).map { "\($0)" })
  }

  @Test(arguments: accesses)
  func `The simulated disk's files are locked the same way`(access: SedimentOptions.Access) throws {
    let fixture = try StoreFixture(access)
    #expect(code { _ = try fixture.another() } == .locked)
    #expect(code { _ = try fixture.another { $0.readOnly = true } } == .locked)
    try fixture.close()
    let reader = try fixture.another { $0.readOnly = true }
    let second = try fixture.another { $0.readOnly = true }
    #expect(code { try fixture.open() } == .locked)
    try reader.close()
    try second.close()
    try fixture.open()
  }

  @Test func `A store that failed to open leaves no lock`() throws {
    let fixture = try StoreFixture()
    try fixture.close()
    fixture.disk.injectForGood(.error(.inputOutput), only: [.read])
    for _ in 0..<3 { #expect(code { try fixture.open() } == .inputOutput) }
    fixture.disk.clearFaults()
    try fixture.open()
  }

  @Test func `A store that this process reads says so to who would write to it`() throws {
    try SedimentStore(path: path).close()
    let reader = try SedimentStore(path: path, options: SedimentOptions(readOnly: true))
    let error = #expect(throws: SedimentError.self) { try SedimentStore(path: path) }
    #expect(error?.code == .locked)
    #expect(error?.message.hasPrefix("This process has the store open for reading") == true)
    try reader.close()
  }

  @Test func `Where the file system locks nothing, a process still opens a store once at a time`() throws {
    let disk = UnlockedDisk(SimulatedDisk(seed: 1))
    let store = try SedimentStore(path: StoreFixture.path, disk: disk)
    for readOnly in [false, true] {
      let options = SedimentOptions(readOnly: readOnly)
      #expect(
        code { _ = try SedimentStore(path: StoreFixture.path, options: options, disk: disk) } == .locked)
    }
    #expect(code { _ = try SedimentStore.verify(path: StoreFixture.path, on: disk) } == .locked)
    #expect(code { try SedimentStore.destroy(path: StoreFixture.path, on: disk) } == .locked)
    try store.close()
    let options = SedimentOptions(readOnly: true)
    let readers = try (0..<2).map { _ in
      try SedimentStore(path: StoreFixture.path, options: options, disk: disk)
    }
    for reader in readers {
      #expect(code { _ = try SedimentStore(path: StoreFixture.path, disk: disk) } == .locked)
      try reader.close()
    }
    try SedimentStore(path: StoreFixture.path, disk: disk).close()
  }

  @Test(arguments: [100, 101, 233, 234, 240, 255])
  func `A store of any name that the system takes is made, copied and destroyed`(count: Int) throws {
    let path = directory[String(repeating: "n", count: count)]
    let copy = directory[String(repeating: "c", count: count)]
    let store = try SedimentStore(path: path)
    try store.set("value", forKey: "key")
    try store.backup(to: copy)
    try store.close()
    #expect(try SedimentStore(path: copy).contains("key"))
    try SedimentStore.destroy(path: path)
    try SedimentStore.destroy(path: copy)
    #expect(try directory.names == [])
  }

  // MARK: Destroying

  @Test func `A file that takes a store's place before it is locked is not destroyed with it`() throws {
    let inner = SimulatedDisk(seed: 1)
    let disk = ReplacingDisk(inner, path: StoreFixture.path, other: "data/other")
    try SedimentStore(path: StoreFixture.path, disk: inner).close()
    let other = try SedimentStore(path: "data/other", disk: inner)
    try other.set("value", forKey: "key")
    disk.isReplacing.store(true, ordering: .relaxed)
    #expect(code { try SedimentStore.destroy(path: StoreFixture.path, on: disk) } == .locked)
    #expect(inner.paths == [StoreFixture.path])
    try other.close()
    #expect(try SedimentStore(path: StoreFixture.path, disk: inner).contains("key"))
  }

  @Test func `A store is destroyed when it is closed, and not before`() throws {
    let store = try SedimentStore(path: path)
    #expect(code { try SedimentStore.destroy(path: path) } == .locked)
    try store.set("value", forKey: "key")
    try store.close()
    let reader = try SedimentStore(path: path, options: SedimentOptions(readOnly: true))
    #expect(code { try SedimentStore.destroy(path: path) } == .locked)
    try reader.close()
    try SedimentStore.destroy(path: path)
    #expect(try directory.names == [])
    #expect(code { try SedimentStore.destroy(path: path) } == .notFound)
    #expect(try SedimentStore(path: path).count() == 0)
  }

  @Test func `A damaged store can be destroyed, and its end is durable`() throws {
    let fixture = try StoreFixture()
    try fixture.close()
    for start in [0, 16_384] { fixture.disk.flipBit(0, ofByte: start + 50, in: StoreFixture.path) }
    #expect(code { try fixture.open() } == .damaged)
    try SedimentStore.destroy(path: StoreFixture.path, on: fixture.disk)
    #expect(fixture.disk.afterPowerLoss(.nothing).paths == [])
  }

  @Test func `A store whose file cannot be removed is still there`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("value", forKey: "key")
    try fixture.close()
    fixture.disk.inject(.error(.accessDenied), only: [.remove])
    #expect(code { try SedimentStore.destroy(path: StoreFixture.path, on: fixture.disk) } == .accessDenied)
    try fixture.open()
    #expect(try fixture.store.contains("key"))
  }
}

/// A disk that grants every lock.
private final class UnlockedDisk: ForwardingDisk, @unchecked Sendable {
  private final class File: ForwardingFile, @unchecked Sendable {
    override func lock(_ range: Range<UInt64>, _ mode: LockMode) throws(DiskError) -> Bool { true }
  }

  override func file(_ file: any DiskFile) -> any DiskFile { File(file) }
}

/// A disk on which another file takes the place of one, once, right before that is locked.
private final class ReplacingDisk: ForwardingDisk, @unchecked Sendable {
  let isReplacing = Atomic(false)
  private let path: String
  private let other: String

  private final class File: ForwardingFile, @unchecked Sendable {
    let disk: ReplacingDisk

    init(_ inner: any DiskFile, _ disk: ReplacingDisk) {
      self.disk = disk
      super.init(inner)
    }

    override func lock(_ range: Range<UInt64>, _ mode: LockMode) throws(DiskError) -> Bool {
      if disk.isReplacing.exchange(false, ordering: .relaxed) {
        try disk.rename(disk.other, to: disk.path, .replaceExisting)
      }
      return try inner.lock(range, mode)
    }
  }

  init(_ inner: SimulatedDisk, path: String, other: String) {
    self.path = path
    self.other = other
    super.init(inner)
  }

  override func file(_ file: any DiskFile) -> any DiskFile { File(file, self) }
}
