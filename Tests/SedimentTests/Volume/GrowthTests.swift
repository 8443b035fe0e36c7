import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// A file that is shortened while somebody makes it longer ahead of need, which needs no lock.
@Suite struct GrowthTests {
  /// Calls a closure once, behind an allocation that made the file longer.
  private final class GrowingDisk: ForwardingDisk, @unchecked Sendable {
    let onGrowth = Mutex<(@Sendable () -> Void)?>(nil)
    /// The slots that were allocated then.
    let grown = Mutex<Range<UInt64>>(0..<0)

    override func file(_ file: any DiskFile) -> any DiskFile { GrowingFile(file, self) }
  }

  private final class GrowingFile: ForwardingFile, @unchecked Sendable {
    private let disk: GrowingDisk

    init(_ inner: any DiskFile, _ disk: GrowingDisk) {
      self.disk = disk
      super.init(inner)
    }

    override func allocate(_ range: Range<UInt64>) throws(DiskError) {
      let isGrowth = try range.upperBound > inner.byteCount()
      try inner.allocate(range)
      if isGrowth, let body = disk.onGrowth.withLock({ $0.take() }) {
        disk.grown.withLock { $0 = range }
        body()
      }
    }
  }

  @Test func `What was cut off again is not stored into`() throws {
    let disk = GrowingDisk(BareStore.disk(rule: .record))
    let scheduler = ManualScheduler()
    let options = SedimentOptions(durability: .unsynced, compaction: .manual, compression: .off)
    let store = try SedimentStore(path: BareStore.path, options: options, disk: disk, scheduler: scheduler)
    let value = [UInt8](repeating: 1, count: 4_000)
    for number in 0..<3_000 {
      try store.set(value, forKey: "\(number)")
      scheduler.runDue()
    }
    disk.onGrowth.withLock {
      $0 = {
        #expect(throws: Never.self) {
          try store.removeAll()
          try store.compact()
          let cut = store.statistics.fileByteCount
          #expect(cut < disk.grown.withLock { $0.lowerBound })
          var number = 0
          while store.statistics.fileByteCount <= disk.grown.withLock({ $0.lowerBound }) {
            try store.set(value, forKey: "again \(number)")
            number += 1
          }
        }
      }
    }
    var number = 3_000
    while disk.onGrowth.withLock({ $0 != nil }) {
      try store.set(value, forKey: "\(number)")
      number += 1
      scheduler.runDue()
    }
    let grown = disk.grown.withLock { $0 }
    // Longer than it was before, and not as long as it was to be: this is where what was cut off might be taken.
    let byteCount = store.statistics.fileByteCount
    #expect(grown.lowerBound < byteCount)
    #expect(try #require(disk.inner.contents(of: BareStore.path)).count == byteCount)
    for number in 0..<1_000 { try store.set(value, forKey: "more \(number)") }
    #expect(disk.inner.violations == [])
    try store.close()
  }
}
