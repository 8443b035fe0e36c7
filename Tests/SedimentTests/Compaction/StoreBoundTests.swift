import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What a file takes of a real disk.
private func allocatedByteCount(_ path: String) throws -> Int {
  var status = stat()
  try #require(unsafe stat(path, &status) == 0)
  return Int(status.st_blocks) * 512
}

/// The bounds of DESIGN.md 8, with the background's work done as soon as it is due.
@Suite struct StoreBoundTests {
  /// A store on the machine's disk with so many keys, values of 100 bytes, and no index stored in the file.
  private final class Store {
    let directory: StoreDirectory
    let scheduler = ManualScheduler()
    let store: SedimentStore
    let count: Int
    private var generator = SeededGenerator(seed: 7)
    private var value = [UInt8](repeating: 7, count: 100)

    init(_ count: Int) throws {
      self.count = count
      directory = try StoreDirectory(takesManySyncs: true)
      var options = SedimentOptions(durability: .unsynced, compression: .off, storesIndex: false) { event in
        if case .failed(let error) = event { Issue.record(error) }
      }
      // Or a store that is small would be allowed more.
      options.slackSlotCount = 4
      store = try SedimentStore(
        path: directory["store"], options: options, disk: ScheduledDisk(scheduler: scheduler),
        scheduler: scheduler)
      for number in 0..<count { try set(number) }
    }

    func set(_ number: Int) throws {
      unsafe value.withUnsafeMutableBytes { unsafe $0.storeBytes(of: UInt64(number), as: UInt64.self) }
      try store.set(value, forKey: Self.key(number))
    }

    static func key(_ number: Int) -> [UInt8] {
      var key = [UInt8](repeating: 1, count: 16)
      unsafe key.withUnsafeMutableBytes {
        unsafe $0.storeBytes(of: UInt64(number) &* 0x9E37_79B9_7F4A_7C15, as: UInt64.self)
      }
      return key
    }

    func random(below bound: Int) -> Int {
      Int(truncatingIfNeeded: ((generator.next() >> 32) &* UInt64(bound)) >> 32)
    }

    /// Lets the background do what it would while others rest a moment.
    func work() {
      scheduler.advance(by: 20_000_000)
    }

    /// Whether every key has its own value.
    func check() throws {
      var wrong = 0
      for number in 0..<count {
        let word = try store.withValue(forKey: Self.key(number)) { value in
          value.byteCount == 100 ? unsafe value.unsafeLoad(as: UInt64.self) : 0
        }
        if word != UInt64(number) { wrong += 1 }
      }
      #expect(wrong == 0)
    }
  }

  private static let keyCount = TestEffort.of(300_000, long: 1_000_000)
  /// How often as many sets are made as there are keys.
  private static let roundCount = TestEffort.of(3, long: 10)

  @Test(
    .disabled(if: hasSanitizer, "It is about sizes, and takes long."), arguments: [false, true])
  func `Overwriting many times leaves the file below its bound, and writes no record too often`(
    isSkewed: Bool
  ) throws {
    let fixture = try Store(Self.keyCount)
    let (store, count) = (fixture.store, Self.keyCount)
    let live = Double(store.statistics.liveByteCount)
    #expect(live == Double(count * 136))
    var largest = 0.0
    let before = store.statistics
    for step in 0..<Self.roundCount * count {
      let isHot = isSkewed && fixture.random(below: 10) < 8
      let number =
        isHot || !isSkewed
        ? fixture.random(below: isSkewed ? count / 5 : count)
        : count / 5 + fixture.random(below: count - count / 5)
      try fixture.set(number)
      if step % 100 == 0 {
        fixture.work()
        largest = max(largest, Double(store.statistics.fileByteCount))
      }
    }
    // At most a hundredth of what is live, but never less than a slot.
    let segment = max(live / 128, 16_384)
    #expect(Double(store.segments.map(\.byteCount).max() ?? 0) <= max(live / 100, 16_384))
    #expect(largest <= 1.35 * live + 4 * segment)
    let after = store.statistics
    let moved = Double(after.movedByteCount - before.movedByteCount)
    let amplification = 1 + moved / Double(after.writtenByteCount - before.writtenByteCount)
    #expect(amplification <= 2.4)
    #expect(amplification > 1.5)
    try fixture.check()
    try store.close()
  }

  @Test(.disabled(if: hasSanitizer, "It is about sizes, and takes long."))
  func `After nine tenths were removed, the file gives back nearly all of its space`() throws {
    let count = TestEffort.of(150_000, long: 1_000_000)
    let fixture = try Store(count)
    let store = fixture.store
    let before = try allocatedByteCount(store.path)
    for number in 0..<count where number % 10 != 0 {
      try store.remove(forKey: Store.key(number))
      if number % 100 == 0 { fixture.work() }
    }
    try store.sync()
    // An idle second: nothing is written any more.
    fixture.scheduler.advance(by: 1_000_000_000)
    let after = try allocatedByteCount(store.path)
    #expect(after * 100 <= before * 15, "\(after) of \(before) bytes")
    #expect(try store.count() == count / 10)
    // Nothing is left to do, so nothing wakes up.
    #expect(fixture.scheduler.pendingCount == 0)
    try store.close()
  }
}
