import Sediment
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Files whose numbers somebody has forged with sound checksums.
struct ForgedNumbersTests {
  /// Changes the numbers of a store wherever a record of its hot log says them.
  private func forge(_ bytes: inout [UInt8], _ change: (inout StoreNumbers) -> Void) throws {
    let head = try Superblock.decode(
      unsafe bytes.span.bytes.extracting(0..<Superblock.byteCount), copy: .first)
    var count = 0
    for slot in stride(from: 2, to: bytes.count / 16_384, by: 1) {
      let start = slot * 16_384
      guard
        let header = try? SegmentHeader.decode(
          unsafe bytes.span.bytes.extracting(start..<start + SegmentHeader.byteCount), in: head.identity,
          at: UInt32(slot)), header.identity.kind == .hot
      else { continue }
      var offset = Int(header.identity.recordRange.lowerBound.byteOffset)
      while true {
        let place = RecordPlace(
          seed: header.identity.seed(in: head.identity), base: header.base,
          offset: UnitOffset(byteOffset: UInt64(offset))!)
        guard let (byteCount, made) = try forged(bytes, at: place, change) else { break }
        if let made {
          bytes.replaceSubrange(offset..<offset + byteCount, with: made)
          count += 1
        }
        offset += byteCount
      }
    }
    try #require(count > 0)
  }

  /// The length of the record at a place, and its bytes with changed numbers if it says some; nil if there is no record.
  private func forged(
    _ bytes: [UInt8], at place: RecordPlace, _ change: (inout StoreNumbers) -> Void
  ) throws -> (byteCount: Int, made: [UInt8]?)? {
    let start = Int(place.offset.byteOffset)
    let rest = unsafe bytes.span.bytes.extracting(start...)
    guard let record = try? RecordHeader.decode(rest, at: place) else { return nil }
    guard record.kind == .control,
      let value = forged(try ControlRecord.decode(rest.extracting(record.valueRange)), change)
    else { return (record.byteCount, nil) }
    var made = Array(bytes[start..<start + record.byteCount])
    made.replaceSubrange(record.valueRange, with: value)
    var elements = made.mutableSpan
    var span = unsafe elements.mutableBytes
    RecordHeader.seal(&span, at: place)
    return (made.count, made)
  }

  private func forged(_ control: ControlRecord, _ change: (inout StoreNumbers) -> Void) -> [UInt8]? {
    func forged(_ entries: [CatalogueEntry]) -> [CatalogueEntry] {
      entries.map { entry in
        guard case .numbers(var numbers) = entry else { return entry }
        change(&numbers)
        return .numbers(numbers)
      }
    }
    switch control {
    case .catalogueChange(let old): return CatalogueChange(forged(old.entries))?.encode()
    case .checkpointPart(let old):
      return CheckpointPart(number: old.number, of: old.partCount, forged(old.entries))?.encode()
    default: return nil
    }
  }

  @Test func `Totals near their limit wrap around and end nothing`() throws {
    let fixture = try StoreFixture(compression: .automatic)
    try fixture.setTwoMakes(recordCount: 3_000)
    try fixture.close()
    var bytes = try #require(fixture.disk.contents(of: StoreFixture.path))
    try forge(&bytes) { numbers in
      numbers.totals.writtenByteCount = .max - 400_000
      numbers.totals.movedByteCount = 0
      numbers.totals.userByteCount = .max
      numbers.totals.evictedCount = .max
      numbers.totals.expiredCount = .max
    }
    let disk = SimulatedDisk(seed: 2)
    disk.install(bytes, at: StoreFixture.path)
    let opened = try StoreFixture(compression: .automatic, on: disk)
    try opened.store.compact()
    for number in 0..<4_000 {
      try opened.store.set(Samples.json(number), forKey: "\(number % 2_000)")
      if number % 100 == 0 { opened.scheduler.runDue() }
    }
    opened.scheduler.advance(by: 10_000_000_000)
    _ = opened.store.statistics
    try opened.store.compact()
    try opened.close()
    #expect(try SedimentStore.verify(path: StoreFixture.path, on: disk).isIntact)
  }

  @Test func `A file whose numbers are used up says so, and what is salvaged of it counts anew`() throws {
    let fixture = try StoreFixture()
    try fixture.store.set("1", forKey: "key")
    try fixture.close()
    var bytes = try #require(fixture.disk.contents(of: StoreFixture.path))
    for copy in Superblock.Copy.allCases {
      let range = Int(copy.byteOffset)..<Int(copy.byteOffset) + Superblock.byteCount
      var block = try Superblock.decode(unsafe bytes.span.bytes.extracting(range), copy: copy)
      block.generation = try #require(Generation(Limits.generationMax - 100 + block.generation.rawValue))
      bytes.replaceSubrange(range, with: block.encode())
    }
    let disk = SimulatedDisk(seed: 2)
    disk.install(bytes, at: StoreFixture.path)
    try expectExhausted(StoreFixture.path, on: disk, keyCount: 1)
    let forged = try AlteredFileTests.forged { builder in
      var numbers = builder.catalogue.numbers
      numbers.nextGeneration = try #require(Generation(Limits.generationMax - 100))
      try builder.change([.numbers(numbers)])
    }
    try expectExhausted(LogBuilder.path, on: forged, keyCount: 0)
  }

  private func expectExhausted(_ path: String, on disk: SimulatedDisk, keyCount: Int) throws {
    let error = #expect(throws: SedimentError.self) { try StoreFixture.opened(path, on: disk) }
    #expect(error?.code == .exhausted)
    #expect(error?.message.contains("Salvage it") == true)
    let reading = try StoreFixture.opened(path, on: disk, readOnly: true)
    #expect(try reading.count() == keyCount)
    try reading.close()
    _ = try SedimentStore.salvage(from: path, to: "/salvaged", on: disk)
    let salvaged = try StoreFixture.opened("/salvaged", on: disk)
    #expect(try salvaged.count() == keyCount)
    try salvaged.set("2", forKey: "new", durability: .synced)
    try salvaged.close()
  }
}
