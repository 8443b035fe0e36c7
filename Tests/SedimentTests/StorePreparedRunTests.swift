import Sediment
import SedimentDisk
import SedimentTesting
import Synchronization
import Testing

/// A disk that lets a test do something while pages are touched ahead of need.
private final class InterruptedDisk: ForwardingDisk, @unchecked Sendable {
  let interruption = Mutex<(@Sendable () -> Void)?>(nil)

  override func file(_ file: any DiskFile) -> any DiskFile { File(file, self) }

  private final class File: ForwardingFile, @unchecked Sendable {
    private let disk: InterruptedDisk

    init(_ inner: any DiskFile, _ disk: InterruptedDisk) {
      self.disk = disk
      super.init(inner)
    }

    override func reserveMapping(byteCount: UInt64) throws(DiskError) -> FileMapping {
      let mapping = try inner.reserveMapping(byteCount: byteCount)
      return Mapping(mapping, disk).mapping(pageByteCount: mapping.pageByteCount)
    }
  }

  private final class Mapping: ForwardingMapping, @unchecked Sendable {
    private let disk: InterruptedDisk

    init(_ inner: FileMapping, _ disk: InterruptedDisk) {
      self.disk = disk
      super.init(inner)
    }

    override func populate(_ base: UnsafeMutableRawPointer, _ range: Range<UInt64>) throws(DiskError) {
      try inner.populate(range)
      disk.interruption.withLock { $0 }?()
    }
  }
}

/// Segments whose runs of slots are made fit before the log gets there.
@Suite struct StorePreparedRunTests {
  private static let keyCount = 1_300
  private static let valueByteCount = 16_000

  /// A store whose segments are large enough for it: of ten slots.
  private static func filled() throws -> (StoreFixture, KeyVersions) {
    let fixture = try StoreFixture(durability: .interval(.seconds(60)))
    let versions = KeyVersions()
    for key in 0..<keyCount { try versions.set(key, fixture) }
    return (fixture, versions)
  }

  /// Which of its values each key has.
  private final class KeyVersions {
    private var numbers = [Int](repeating: 0, count: keyCount)

    private func value(_ key: Int) -> [UInt8] { pattern(valueByteCount, key &+ numbers[key] &* 7919) }

    func set(_ key: Int, _ fixture: StoreFixture) throws {
      numbers[key] += 1
      try fixture.store.set(value(key), forKey: "\(key)")
    }

    func check(_ fixture: StoreFixture) throws {
      #expect(try fixture.store.count() == keyCount)
      for key in 0..<keyCount { #expect(try same(fixture.store.retrieve(forKey: "\(key)"), value(key))) }
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `The log never stores into a run that has become read-only`(seed: UInt64) throws {
    let (fixture, versions) = try Self.filled()
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<3 * Self.keyCount {
      try versions.set(Int.random(in: 0..<Self.keyCount, using: &generator), fixture)
      switch Int.random(in: 0..<40, using: &generator) {
      case 0..<10: fixture.scheduler.runDue()
      case 10: try fixture.store.sync()
      case 11 where seed == 3: try fixture.store.compact()
      default: break
      }
    }
    try versions.check(fixture)
    try fixture.reopen()
    try versions.check(fixture)
  }

  @Test(arguments: [5, 11, 17, 25, 32, 40])
  func `What is written while a run is being prepared never leaves it read-only`(count: Int) throws {
    let disk = InterruptedDisk(
      SimulatedDisk(SimulatedDiskOptions(seed: 1, violationRule: .record)))
    let scheduler = ManualScheduler()
    let store = try SedimentStore(
      path: "store", options: SedimentOptions(durability: .interval(.seconds(60))), disk: disk,
      scheduler: scheduler)
    // A segment has ten of them, so others are begun and left meanwhile.
    let written = Mutex(0)
    disk.interruption.withLock {
      $0 = {
        for _ in 0..<count {
          let number = written.withLock { number in
            number += 1
            return number
          }
          let value = pattern(Self.valueByteCount, number)
          try? store.set(value, forKey: "\(number % Self.keyCount)")
        }
      }
    }
    while written.withLock({ $0 }) < 2 * Self.keyCount {
      try store.set(pattern(Self.valueByteCount), forKey: "other")
      scheduler.runDue()
    }
    disk.interruption.withLock { $0 = nil }
    #expect(disk.inner.violations.isEmpty)
    let last = written.withLock { $0 }
    for number in last - Self.keyCount + 1...last {
      let value = try store.retrieve(forKey: "\(number % Self.keyCount)")
      #expect(same(value, pattern(Self.valueByteCount, number)))
    }
    try store.close()
  }
}
