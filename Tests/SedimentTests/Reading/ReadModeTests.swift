import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// How records are read in a file that does not fit into the memory which the process may have.
struct ReadModeTests {
  private static let path = "/data/store.sediment"
  private static let keyCount = 20_000
  private static let mebibyte: UInt64 = 1 << 20

  /// A record of these has 1,024 bytes.
  private static func key(_ number: Int) -> String { "\(100_000 + number)" }
  private static func value(_ number: Int) -> [UInt8] {
    var value = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1000)
    value.replaceSubrange(0..<6, with: Array(key(number).utf8))
    return value
  }

  private let disk = ReadCountingDisk(SimulatedDisk(seed: 1))
  private let scheduler = ManualScheduler()

  private func open(_ access: SedimentOptions.Access = .automatic) throws -> SedimentStore {
    try SedimentStore(
      path: Self.path,
      // A part of a stored index is read by the first retrieve that needs it.
      options: SedimentOptions(
        durability: .unsynced, access: access, compression: .off, storesIndex: false),
      disk: disk, scheduler: scheduler)
  }

  private func fill(_ store: SedimentStore, _ numbers: Range<Int>) throws {
    for first in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 500) {
      try store.batch { batch in
        for number in first..<min(first + 500, numbers.upperBound) {
          batch.set(Self.value(number), forKey: Self.key(number))
        }
      }
    }
  }

  /// A closed store of 20 MiB.
  private func make() throws {
    let store = try open()
    try fill(store, 0..<Self.keyCount)
    try store.set([UInt8](repeating: 1, count: 5000), forKey: "long")
    try store.close()
  }

  @Test(arguments: [SedimentOptions.Access.automatic, .windowless, .unmapped])
  func `A retrieve takes one read of the guessed length, and a second one for a longer record`(
    access: SedimentOptions.Access
  ) throws {
    try make()
    disk.inner.processMemory = 16 * Self.mebibyte
    let store = try open(access)
    #expect(store.statistics.readMode == (access == .unmapped ? .unmappedByOption : .unmappedByMemory))
    #expect(store.statistics.memoryByteCount == (access == .unmapped ? 0 : 16 * Self.mebibyte))
    #expect(disk.orders == [.random])
    for number in stride(from: 0, to: Self.keyCount, by: 37) {
      disk.forgetReads()
      #expect(try store.retrieve(forKey: Self.key(number)) == Self.value(number))
      // Half as much again as the average record, or what is left of its segment.
      try #require(disk.readByteCounts.count == 1)
      #expect((1024...1536).contains(disk.readByteCounts[0]))
    }
    disk.forgetReads()
    #expect(try store.retrieve(forKey: Self.key(1)) == Self.value(1))
    #expect(disk.readByteCounts == [1536])
    disk.forgetReads()
    #expect(try store.retrieve(forKey: "long")?.count == 5000)
    #expect(disk.readByteCounts == [1536, 5024])
    disk.forgetReads()
    #expect(try store.retrieve(forKey: "none") as [UInt8]? == nil)
    #expect(disk.readByteCounts == [])
    try store.close()
  }

  @Test func `A change reads little of the record that it replaces, though a few values are long`() throws {
    let store = try open(.unmapped)
    for number in 0..<100 { try store.set(pattern(100, number), forKey: Self.key(number)) }
    for number in 0..<100 { try store.set([UInt8](repeating: 1, count: 12_000), forKey: "long \(number)") }
    try store.close()
    // The average record has 6 KB.
    let again = try open(.unmapped)
    try again.set("first", forKey: Self.key(0))
    disk.forgetReads()
    try #expect(again.retrieve(forKey: Self.key(4)) == pattern(100, 4))
    #expect(try #require(disk.readByteCounts.first) > 4096)
    disk.forgetReads()
    try again.set("new", forKey: Self.key(1))
    try #expect(again.remove(forKey: Self.key(2)))
    try again.batch { batch in batch.set("new", forKey: Self.key(3)) }
    #expect(disk.readByteCounts == [512, 512, 512])
    try again.close()
  }

  @Test(arguments: [nil, 32 << 20] as [UInt64?])
  func `A file that fits is read in place, without a call`(memory: UInt64?) throws {
    try make()
    disk.inner.processMemory = memory
    let store = try open()
    #expect(store.statistics.readMode == .mapped)
    #expect(store.statistics.memoryByteCount == memory ?? 0)
    #expect(disk.orders == [])
    disk.forgetReads()
    for number in stride(from: 0, to: Self.keyCount, by: 37) {
      #expect(try store.retrieve(forKey: Self.key(number)) == Self.value(number))
    }
    #expect(disk.readByteCounts == [])
    try store.close()
  }

  @Test func `A store goes over to calls as it outgrows the memory, and back as it shrinks`() throws {
    disk.inner.processMemory = 20 * Self.mebibyte
    let store = try open()
    var model: [String: [UInt8]] = [:]
    func check() throws {
      for (key, value) in model { #expect(try store.retrieve(forKey: key) == value) }
      #expect(try store.count() == model.count)
    }
    for first in stride(from: 0, to: 24_000, by: 500) {
      try fill(store, first..<first + 500)
      for number in first..<first + 500 { model[Self.key(number)] = Self.value(number) }
      // The mode is chosen anew when the file has grown by a 16th.
      let fileByteCount = store.statistics.fileByteCount
      if fileByteCount * 8 <= 20 * Self.mebibyte * 7 { #expect(store.statistics.readMode == .mapped) }
      if fileByteCount > 20 * Self.mebibyte { #expect(store.statistics.readMode == .unmappedByMemory) }
    }
    #expect(store.statistics.readMode == .unmappedByMemory)
    #expect(disk.orders == [.random])
    try check()
    // Changes find the records that they replace.
    for number in stride(from: 0, to: 24_000, by: 24) {
      try store.set(Self.value(number + 1), forKey: Self.key(number))
      model[Self.key(number)] = Self.value(number + 1)
      #expect(try store.remove(forKey: Self.key(number + 1)))
      model[Self.key(number + 1)] = nil
    }
    try check()
    for number in 4000..<24_000 where model[Self.key(number)] != nil {
      #expect(try store.remove(forKey: Self.key(number)))
      model[Self.key(number)] = nil
    }
    try store.compact()
    #expect(store.statistics.fileByteCount < 14 * Self.mebibyte)
    #expect(store.statistics.readMode == .mapped)
    #expect(disk.orders == [.random, .usual])
    try check()
    try store.close()
  }

  @Test func `Holes of a file take no memory, when it is opened and later`() throws {
    disk.inner.processMemory = 20 * Self.mebibyte
    let store = try open()
    for number in 0..<24 {
      try store.set([UInt8](repeating: 1, count: Int(Self.mebibyte)), forKey: "large \(number)")
    }
    try fill(store, 0..<2_000)
    #expect(store.statistics.readMode == .unmappedByMemory)
    for number in 0..<24 { try store.remove(forKey: "large \(number)") }
    for _ in 0..<20 { scheduler.advance(by: 1_000_000_000) }
    // What lies last stays there, so the file is as long as before, and nearly all of it is a hole.
    #expect(store.statistics.fileByteCount > 20 * Self.mebibyte)
    #expect(store.statistics.holeByteCount > 16 * Self.mebibyte)
    #expect(store.statistics.readMode == .mapped)
    try store.close()
    let reopened = try open()
    #expect(reopened.statistics.fileByteCount > 20 * Self.mebibyte)
    #expect(reopened.statistics.readMode == .mapped)
    for number in 0..<2_000 { #expect(try reopened.retrieve(forKey: Self.key(number)) == Self.value(number)) }
    try reopened.close()
  }

  @Test func `What fits by little or does not fit by little stays as it is read`() {
    var choice = ReadModeChoice()
    func fits(_ fileByteCount: UInt64, isMapped: Bool) -> Bool {
      choice.fits(fileByteCount * Self.mebibyte, isMapped: isMapped) { 800 * Self.mebibyte }
    }
    #expect(fits(700, isMapped: true))
    #expect(!fits(701, isMapped: true))
    #expect(!fits(600, isMapped: false))
    #expect(fits(599, isMapped: false))
    #expect(choice.memoryByteCount == 800 * Self.mebibyte)
    // Nobody asks for the memory because of a small file.
    #expect(choice.fits(16 * Self.mebibyte, isMapped: false) { nil })
    #expect(!choice.isDue(takenByteCount: 16 * Self.mebibyte))
    #expect(!choice.isDue(takenByteCount: 17 * Self.mebibyte))
    #expect(choice.isDue(takenByteCount: 18 * Self.mebibyte))
  }
}

/// A simulated disk that notes what is read, and in which order that is expected.
private final class ReadCountingDisk: ForwardingDisk, @unchecked Sendable {
  private let noted = Mutex<(byteCounts: [Int], orders: [ReadOrder])>(([], []))

  var readByteCounts: [Int] { noted.withLock { $0.byteCounts } }
  var orders: [ReadOrder] { noted.withLock { $0.orders } }

  func forgetReads() { noted.withLock { $0.byteCounts = [] } }

  override func file(_ file: any DiskFile) -> any DiskFile { File(file, self) }

  private final class File: ForwardingFile, @unchecked Sendable {
    private let disk: ReadCountingDisk

    init(_ inner: any DiskFile, _ disk: ReadCountingDisk) {
      self.disk = disk
      super.init(inner)
    }

    override func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int {
      let count = try super.read(into: &buffer, at: offset)
      disk.noted.withLock { $0.byteCounts.append(count) }
      return count
    }

    override func expectReads(_ order: ReadOrder) {
      disk.noted.withLock { $0.orders.append(order) }
      super.expectReads(order)
    }
  }
}
