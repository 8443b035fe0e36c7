import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// An exchange in the middle of which the index gets another seed, and after that records cannot be read one by one.
@Suite struct RedirectingTests {
  /// Calls a closure once, with the tenth large piece that is read after it was given, and then fails small reads.
  private final class FailingDisk: ForwardingDisk, @unchecked Sendable {
    let onVictim = Mutex<(@Sendable () -> Void)?>(nil)
    let pieceCount = Atomic<Int>(0)
    let isFailing = Atomic<Bool>(false)
    let failureCount = Atomic<Int>(0)

    override func file(_ file: any DiskFile) -> any DiskFile { FailingFile(file, self) }
  }

  private final class FailingFile: ForwardingFile, @unchecked Sendable {
    private let disk: FailingDisk

    init(_ inner: any DiskFile, _ disk: FailingDisk) {
      self.disk = disk
      super.init(inner)
    }

    override func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int {
      let isPiece = buffer.byteCount >= 1_024
      if isPiece, disk.pieceCount.add(1, ordering: .relaxed).newValue == 10,
        let body = disk.onVictim.withLock({ $0.take() })
      {
        body()
        disk.isFailing.store(true, ordering: .relaxed)
      }
      if !isPiece, disk.isFailing.load(ordering: .relaxed) {
        disk.failureCount.add(1, ordering: .relaxed)
        throw DiskError(.read, path: path, code: .inputOutput)
      }
      return try inner.read(into: &buffer, at: offset)
    }
  }

  @Test func `Keys that cannot be read while they are moved are found all the same`() throws {
    let disk = FailingDisk(BareStore.disk())
    let options = SedimentOptions(durability: .unsynced, access: .unmapped, compaction: .manual)
    func open() throws -> SedimentStore {
      try SedimentStore(path: BareStore.path, options: options, disk: disk, scheduler: ManualScheduler())
    }
    try open().close()
    disk.drawn.withLock { $0 = [] }
    let store = try open()
    let alike = disk.keysAlike()
    let value = [UInt8](repeating: 7, count: 400)
    let kept = (0..<400).map { "kept \($0)" }
    for number in 0..<8_000 {
      try store.set(value, forKey: number.isMultiple(of: 20) ? kept[number / 20] : "dead \(number)")
    }
    for number in 0..<8_000 where !number.isMultiple(of: 20) { try store.remove(forKey: "dead \(number)") }
    disk.drawn.withLock { $0 = [] }
    disk.pieceCount.store(0, ordering: .relaxed)
    disk.onVictim.withLock {
      $0 = {
        #expect(throws: Never.self) {
          for key in alike { try store.set("crowd", forKey: key) }
        }
      }
    }
    _ = try? store.compact()
    let seedCount = disk.drawn.withLock { $0.count }
    #expect(seedCount >= 2)
    #expect(disk.failureCount.load(ordering: .relaxed) > 0)
    disk.isFailing.store(false, ordering: .relaxed)
    #expect(try kept.filter { try store.retrieve(forKey: $0) != value } == [])
    #expect(try alike.filter { try store.retrieve(forKey: $0, as: String.self) != "crowd" } == [])
    try store.close()
  }
}
