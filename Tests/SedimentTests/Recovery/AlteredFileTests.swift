import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Files that something else than a store has changed, and what their edges do to a store.
@Suite struct AlteredFileTests {
  @Test func `A foreign file is left as it is`() throws {
    let disk = BareStore.disk()
    let bytes = [UInt8](repeating: 0x5A, count: 8192)
    disk.install(bytes, at: BareStore.path)
    #expect(throws: SedimentError.self) { try BareStore.open(disk) }
    let isUntouched = disk.contents(of: BareStore.path) == bytes
    #expect(isUntouched)
  }

  /// A closed store whose file was shortened to the end of the log.
  static func shortened(_ disk: SimulatedDisk, _ write: (SedimentStore) throws -> Void) throws {
    let store = try BareStore.open(disk)
    try write(store)
    try store.close()
    let bytes = disk.contents(of: BareStore.path)!
    // The last record ends in zeros, of which it has fewer than these.
    disk.cut(BareStore.path, to: (bytes.lastIndex { $0 != 0 }! + 128) & ~7)
  }

  @Test func `A shortened file shows the newest values`() throws {
    let disk = BareStore.disk()
    try Self.shortened(disk) { store in
      for value in ["first", "second"] { try store.set(value, forKey: "key") }
      try store.set("gone", forKey: "removed")
      try store.remove(forKey: "removed")
    }
    let store = try BareStore.open(disk, SedimentOptions(readOnly: true))
    #expect(try store.retrieve(forKey: "key", as: String.self) == "second")
    #expect(try store.retrieve(forKey: "removed") == nil)
    #expect(try store.count() == 1)
    try store.close()
  }

  @Test func `A shortened file is written only where it has blocks`() throws {
    let disk = BareStore.disk()
    try Self.shortened(disk) { try $0.set("value", forKey: "key") }
    let store = try BareStore.open(disk)
    try store.set("other", forKey: "key")
    #expect(disk.violations.first == nil)
    #expect(try store.retrieve(forKey: "key", as: String.self) == "other")
    try store.close()
  }

  @Test func `A shortened file gives no slot twice`() async {
    await #expect(processExitsWith: .success) {
      let disk = BareStore.disk()
      try AlteredFileTests.shortened(disk) { try $0.set("value", forKey: "key") }
      let options = SedimentOptions(durability: .unsynced, access: .unmapped)
      let store = try BareStore.open(disk, options)
      for number in 0..<20 {
        try store.set([UInt8](repeating: 1, count: 4000), forKey: "\(number)")
      }
      try store.close()
    }
  }

  @Test func `A copy with holes is written only where it has blocks`() throws {
    let disk = BareStore.disk()
    let store = try BareStore.open(disk)
    try store.set("value", forKey: "key")
    try store.close()
    // What `cp` makes of it: the blocks that nothing was written to are holes.
    let file = try disk.open(BareStore.path, .readWrite)
    let end = disk.contents(of: BareStore.path)!.lastIndex { $0 != 0 }!
    let length = try file.byteCount()
    try file.punchHole(UInt64((end + 4096) & ~4095)..<length)
    try file.sync()
    try file.close()
    let copy = try BareStore.open(disk)
    for number in 0..<40 { try copy.set([UInt8](repeating: 1, count: 1000), forKey: "\(number)") }
    #expect(disk.violations.first == nil)
    try copy.close()
  }

  @Test func `A cap below the reserve is an error`() async {
    await #expect(processExitsWith: .success) {
      let options = SedimentOptions(durability: .unsynced, capacity: .limited(maxBytes: 64 << 10))
      let store = try BareStore.open(BareStore.disk(), options)
      do {
        for number in 0..<100 {
          try store.set([UInt8](repeating: 1, count: 1000), forKey: "\(number)")
        }
      } catch let error as SedimentError {
        precondition(error.code == .outOfSpace)
      }
      try store.close()
    }
  }

  /// A closed file whose catalogue was changed by a hand that knows the format.
  static func forged(_ change: (inout LogBuilder) throws -> Void) throws -> SimulatedDisk {
    var builder = try LogBuilder()
    try change(&builder)
    try builder.close()
    try builder.file.close()
    return builder.disk
  }

  @Test func `A file at the last generation is an error`() async {
    await #expect(processExitsWith: .success) {
      let disk = try AlteredFileTests.forged { builder in
        var numbers = builder.catalogue.numbers
        numbers.nextGeneration = Generation(Limits.generationMax)!
        try builder.change([.numbers(numbers)])
      }
      do {
        let store = try BareStore.open(disk)
        for number in 0..<40 { try store.set([UInt8](repeating: 1, count: 4000), forKey: "\(number)") }
      } catch let error as SedimentError {
        precondition(error.code == .exhausted)
      }
    }
  }

  @Test func `A part of an index behind the end of the file is no reason to die`() async {
    await #expect(processExitsWith: .success) {
      let disk = try AlteredFileTests.forged { builder in
        let segment = builder.newSegment(.index, slot: 16)
        let part = IndexPartEntry(
          partitions: 0..<1, of: 1, pageCount: 1, segment: segment, checksum: Checksum(0),
          replayFrom: builder.position, generationLimit: Generation(9)!, entryCount: 1,
          keyHash: KeyHash(low: 1, high: 2), build: 1)!
        try builder.change([.indexPart(part)])
      }
      let store = try BareStore.open(disk)
      for number in 0..<200 { try store.set([UInt8](repeating: 1, count: 4000), forKey: "\(number)") }
      try store.close()
    }
  }

  @Test func `A store closes wherever its segment ends`() async {
    await #expect(processExitsWith: .success) {
      // The tail's 16,384 bytes come to their end somewhere in between.
      for count in 15_700..<16_200 where count % 8 == 0 {
        let disk = BareStore.disk()
        let store = try BareStore.open(disk)
        try store.set([UInt8](repeating: 1, count: count), forKey: "key")
        try store.close()
        let again = try BareStore.open(disk)
        let found = try again.retrieve(forKey: "key")
        precondition(found?.count == count)
        try again.close()
      }
    }
  }
}
