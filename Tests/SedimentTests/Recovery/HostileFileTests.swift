import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Files that nobody wrote in good faith: verifying and salvaging them ends with a report or an error.
struct HostileFileTests {
  private static let path = StoreFixture.path

  /// Verifies and salvages a file; what comes out is a sound store.
  private func examine(_ disk: SimulatedDisk, _ comment: Comment) throws {
    let allowed: Set<SedimentError.Code> = [.foreign, .damaged, .newer]
    do {
      let report = try SedimentStore.verify(path: Self.path, on: disk)
      if report.isIntact {
        let image = disk.afterProcessDeath()
        #expect(code { try StoreFixture.opened(Self.path, on: image).close() } == nil, comment)
      }
    } catch let error as SedimentError {
      #expect(allowed.contains(error.code), comment)
    }
    do {
      _ = try SedimentStore.salvage(from: Self.path, to: SalvageTests.saved, on: disk, keepsUncertain: true)
      #expect(try SedimentStore.verify(path: SalvageTests.saved, on: disk).findings == [], comment)
      try disk.remove(SalvageTests.saved)
    } catch let error as SedimentError {
      #expect(allowed.contains(error.code), comment)
    }
    #expect(disk.paths == [Self.path], comment)
  }

  @Test func `Random bytes of any length are no store`() throws {
    for seed in 0..<TestEffort.of(30, long: 1_000) {
      var generator = SeededGenerator(seed: UInt64(seed))
      let disk = SimulatedDisk(seed: 1)
      let count = Int.random(in: 0..<90_000, using: &generator)
      disk.install((0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }, at: Self.path)
      try examine(disk, "seed \(seed)")
    }
  }

  @Test func `A store with bytes of any kind over its own is examined to the end`() throws {
    let contents = try VerificationTests.filled().contents(of: Self.path)!
    for seed in 0..<TestEffort.of(150, long: 20_000) {
      var generator = SeededGenerator(seed: UInt64(seed))
      var bytes = contents
      for _ in 0..<Int.random(in: 1...6, using: &generator) {
        let start = Int.random(in: 0..<bytes.count, using: &generator)
        let count = min(bytes.count - start, 1 << Int.random(in: 0...14, using: &generator))
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: for place in start..<start + count { bytes[place] = .random(in: 0...255, using: &generator) }
        case 1: for place in start..<start + count { bytes[place] = 0 }
        case 2:
          let other = Int.random(in: 0...bytes.count - count, using: &generator)
          bytes.replaceSubrange(start..<start + count, with: bytes[other..<other + count])
        default: bytes.removeLast(min(count, bytes.count - 1))
        }
      }
      let disk = SimulatedDisk(seed: 1)
      disk.install(bytes, at: Self.path)
      try examine(disk, "seed \(seed)")
    }
  }

  @Test func `Headers in every slot that claim all that is behind them are gone through once`() throws {
    let slotCount: UInt32 = 400
    let identity = FileIdentity(low: 1, high: 2)!
    var bytes = [UInt8](repeating: 0, count: Int(slotCount) * 16_384)
    for slot in 2..<slotCount {
      let segment = SegmentIdentity(
        run: SlotRun(first: slot, count: 65_537)!, kind: slot % 3 == 0 ? .survivors : .hot,
        generation: Generation(UInt64(slot % 2 == 0 ? slot : 1000 - slot))!, salt: UInt64(slot))
      let header = SegmentHeader(identity: segment, base: .zero, floor: .zero).encode(in: identity)
      bytes.replaceSubrange(Int(slot) * 16_384..<Int(slot) * 16_384 + 128, with: header)
    }
    let disk = SimulatedDisk(seed: 1)
    disk.install(bytes, at: Self.path)
    try examine(disk, "headers")
    #expect(disk.callCount < 40_000)
  }

  @Test func `Bytes that look like the beginnings of long records are not searched for ever`() throws {
    let slotCount: UInt32 = 256
    let identity = FileIdentity(low: 1, high: 2)!
    var bytes = [UInt8](repeating: 0, count: Int(slotCount) * 16_384)
    let segment = SegmentIdentity(
      run: SlotRun(first: 2, count: slotCount - 2)!, kind: .survivors, generation: Generation(1)!, salt: 3)
    let header = SegmentHeader(identity: segment, base: .zero, floor: .zero).encode(in: identity)
    bytes.replaceSubrange(32_768..<32_768 + 128, with: header)
    // Each claims to be a put that takes most of what is left.
    for place in stride(from: 32_768 + 128, to: bytes.count - 64, by: 8) {
      let length = UInt64(min(bytes.count - place - 48, 16_000_000))
      let head = UInt64(place % 65_521) | 1 << 32 | length << 40
      for byte in 0..<8 { bytes[place + byte] = UInt8(truncatingIfNeeded: head >> UInt64(byte * 8)) }
    }
    let disk = SimulatedDisk(seed: 1)
    disk.install(bytes, at: Self.path)
    try examine(disk, "claims")
    let report = try SedimentStore.salvage(from: Self.path, to: SalvageTests.saved, on: disk)
    #expect(report.losses.map(\.range) == [32_768 + 128..<UInt64(bytes.count)])
    #expect(report.losses.first?.reason.contains("not searched to its end") == true)
  }

  @Test func `A header inside a value is part of the value`() throws {
    var log = try LogBuilder(slotCount: 4)
    try log.open()
    // A value that reaches over the beginning of slot 4, with a header for it there, which leads to a record.
    let inner = SegmentIdentity(
      run: SlotRun(first: 4, count: 1)!, kind: .hot, generation: Generation(90)!, salt: 9)
    var value = [UInt8](repeating: 7, count: 40_000)
    let start = Int(log.offset.byteOffset) + 16 + 1
    let header = SegmentHeader(identity: inner, base: SequenceNumber(500)!, floor: SequenceNumber(500)!)
      .encode(in: log.identity)
    value.replaceSubrange(4 * 16_384 - start..<4 * 16_384 - start + 128, with: header)
    let forged = RecordHeader(
      kind: .put, sequence: SequenceNumber(501)!, keyByteCount: 6, valueByteCount: 0)
    let record = encoded(byteCount: forged.byteCount) { bytes in
      forged.encode(into: &bytes)
      bytes.copy(unsafe Array("forged".utf8).span.bytes, at: forged.keyRange.lowerBound)
      RecordHeader.seal(
        &bytes,
        at: RecordPlace(
          seed: inner.seed(in: log.identity), base: SequenceNumber(500)!,
          offset: UnitOffset(byteOffset: 4 * 16_384 + 128)!))
    }
    value.replaceSubrange(4 * 16_384 + 128 - start..<4 * 16_384 + 128 + record.count - start, with: record)
    try log.append(.put, key: Array("k".utf8), value: value)
    try log.put("a", "1")
    try log.sync()
    let disk = log.durable()
    for sector in [0, 32] { disk.zeroSector(sector, in: LogBuilder.path) }
    for record in log.records where (100..<1000).contains(record.byteCount) {
      disk.flipBit(0, ofByte: record.byteRange.lowerBound + 20, in: LogBuilder.path)
    }
    let report = try SedimentStore.salvage(
      from: LogBuilder.path, to: "/saved", on: disk, keepsUncertain: true)
    #expect(report.uncertainKeyCount == 0)
    let store = try StoreFixture.opened("/saved", on: disk)
    #expect(try store.keys().map { String(decoding: $0, as: UTF8.self) } == ["a", "k"])
    #expect(try store.retrieve(forKey: "k") == value)
  }
}
