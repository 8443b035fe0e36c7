import Foundation
import SedimentFormat
import Testing

/// The bytes of a small store that `FileFormat.md` shows (DESIGN.md 3.10), made by the encoders.
private struct WorkedExample {
  private let file = FileIdentity(low: 0x0706_0504_0302_0100, high: 0x0f0e_0d0c_0b0a_0908)!
  private let segment = SegmentIdentity(
    run: SlotRun(first: 2, count: 1)!, kind: .hot, generation: .first, salt: 0x8877_6655_4433_2211)
  private var position = UInt64(2 * Limits.slotByteCount + Limits.segmentHeaderByteCount)
  private var sequence: UInt64 = 0
  private(set) var text = ""

  static func make() -> String {
    var example = WorkedExample()
    example.build()
    return example.text
  }

  private mutating func build() {
    let start = position
    add("superblock 0, open", at: 0, superblock(end: start + 264).encode(), shown: 184)
    let header = SegmentHeader(identity: segment, base: .zero, floor: .zero)
    add("header of the hot segment in slot 2", at: start - 128, header.encode(in: file))
    addControl("sequence 1: checkpoint", .checkpointPart(checkpoint))
    addRecord("sequence 2: put \"city:1\" = \"Kharkiv\"", kind: .put, key: "city:1", value: "Kharkiv")
    addRecord(
      "sequence 3: put \"7\" = \"Ada\" in collection 1, expires at 1,800,000,060,000", kind: .put, key: "7",
      value: "Ada", collection: 1, expiry: 1_800_000_060_000)
    addRecord("sequence 4: remove \"city:1\"", kind: .remove, key: "city:1", value: "")
    let mark = Mark(
      clock: 1_800_000_000_500,
      watermark: LogPosition(segment.generation, UnitOffset(byteOffset: start + 264)!), salt: segment.salt)
    addControl("sequence 5: mark, on the medium up to the checkpoint's end", .mark(mark))
  }

  private func superblock(end: UInt64) -> Superblock {
    Superblock(
      copy: .first, generation: Generation(3)!, identity: file, state: .open,
      lineage: Lineage(low: 0x1716_1514_1312_1110, high: 0x1f1e_1d1c_1b1a_1918),
      session: 0x2726_2524_2322_2120, createdAt: 1_800_000_000_000, segment: segment,
      checkpoint: segment.recordRange.lowerBound,
      watermark: LogPosition(segment.generation, UnitOffset(byteOffset: end)!))
  }

  private var checkpoint: CheckpointPart {
    var clocks = StoreNumbers.Clocks()
    clocks.highest = 1_800_000_000_000
    let numbers = StoreNumbers(
      nextGeneration: Generation(2)!, nextCollection: 2, nextDictionary: 1, slotCount: 4,
      everythingClearedAt: .zero, clocks: clocks,
      totals: StoreNumbers.Totals())
    let tail = SegmentEntry(
      identity: segment, base: .zero, floor: .zero, end: nil, highest: .zero, latestExpiry: 0, recordCount: 0,
      tombstoneCount: 0, largeCount: 0)
    let users = CollectionEntry(number: 1, clearedAt: .zero, name: Array("users".utf8))!
    return CheckpointPart(number: 0, of: 1, [.numbers(numbers), .segment(tail), .collection(users)])!
  }

  private mutating func addControl(_ title: String, _ control: ControlRecord) {
    let value = control.encode()!
    addRecord(title, ControlRecord.header(valueByteCount: value.count, sequence: nextSequence()), [], value)
  }

  private mutating func addRecord(
    _ title: String, kind: RecordKind, key: String, value: String, collection: UInt32 = 0, expiry: UInt64 = 0
  ) {
    let header = RecordHeader(
      kind: kind, sequence: nextSequence(), collection: collection, expiry: expiry,
      keyByteCount: key.utf8.count, valueByteCount: value.utf8.count)
    addRecord(title, header, Array(key.utf8), Array(value.utf8))
  }

  private mutating func nextSequence() -> SequenceNumber {
    sequence += 1
    return SequenceNumber(sequence)!
  }

  private mutating func addRecord(_ title: String, _ header: RecordHeader, _ key: [UInt8], _ value: [UInt8]) {
    let place = RecordPlace(
      seed: segment.seed(in: file), base: .zero, offset: UnitOffset(byteOffset: position)!)
    let bytes = encoded(byteCount: header.byteCount) { bytes in
      header.encode(into: &bytes)
      bytes.copy(unsafe key.span.bytes, at: header.keyRange.lowerBound)
      bytes.copy(unsafe value.span.bytes, at: header.valueRange.lowerBound)
      RecordHeader.seal(&bytes, at: place)
    }
    add(title, at: position, bytes)
    position += UInt64(bytes.count)
  }

  /// Adds a dump of the bytes, without lines of zeros.
  private mutating func add(_ title: String, at offset: UInt64, _ bytes: [UInt8], shown: Int? = nil) {
    text += "\(title)\n"
    for line in stride(from: 0, to: shown ?? bytes.count, by: 32) {
      let part = bytes[line..<min(line + 32, bytes.count)]
      guard part.contains(where: { $0 != 0 }) else { continue }
      let words = stride(from: line, to: part.endIndex, by: 4).map { word in
        bytes[word..<min(word + 4, part.endIndex)].map { byte in
          String(byte, radix: 16).leftPadded(to: 2, with: "0")
        }.joined()
      }
      let address = String(offset + UInt64(line)).leftPadded(to: 6, with: " ")
      text += "\(address)  \(words.joined(separator: " "))\n"
    }
  }
}

extension String {
  fileprivate func leftPadded(to length: Int, with filler: Character) -> String {
    String(repeating: filler, count: max(0, length - count)) + self
  }
}

@Suite struct GoldenTests {
  @Test func `The bytes that the documentation shows are what the encoders write`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appending(path: "Sources/Sediment/Sediment.docc/FileFormat.md"), encoding: .utf8)
    let shown = try #require(page.split(separator: "```text\n").last?.split(separator: "```\n").first)
    #expect(String(shown) == WorkedExample.make())
  }
}
