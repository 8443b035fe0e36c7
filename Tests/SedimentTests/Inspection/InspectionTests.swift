import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

@Suite struct InspectionTests {
  private let path = "/store"

  private func newStore() throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 1)
    try FileCreation(path: path, on: disk).run()
    return disk
  }

  /// A store whose hot segment holds these values behind its checkpoint, under the keys "0", "1" and so on.
  private func store(of values: [String]) throws -> SimulatedDisk {
    let disk = try newStore()
    let inspection = try FileInspection.inspect(path: path, on: disk)
    let header = inspection.segments[0].header
    var offset = inspection.head.watermark.offset
    for (number, value) in values.enumerated() {
      let bytes = record(number, value, in: header, of: inspection.head.leading.identity, at: offset)
      disk.overwrite(bytes, at: Int(offset.byteOffset), in: path)
      offset = try #require(UnitOffset(byteOffset: offset.byteOffset + UInt64(bytes.count)))
    }
    return disk
  }

  private func record(
    _ number: Int, _ value: String, in segment: SegmentHeader, of file: FileIdentity, at offset: UnitOffset
  ) -> [UInt8] {
    let key = Array("\(number)".utf8)
    let value = Array(value.utf8)
    let header = RecordHeader(
      kind: .put, sequence: SequenceNumber(UInt64(number + 2))!, keyByteCount: key.count,
      valueByteCount: value.count)
    return encoded(byteCount: header.byteCount) { bytes in
      header.encode(into: &bytes)
      bytes.copy(unsafe key.span.bytes, at: header.keyRange.lowerBound)
      bytes.copy(unsafe value.span.bytes, at: header.valueRange.lowerBound)
      RecordHeader.seal(
        &bytes,
        at: RecordPlace(seed: segment.identity.seed(in: file), base: segment.base, offset: offset))
    }
  }

  @Test func `Records are found in their order up to where nothing was written`() throws {
    let inspection = try FileInspection.inspect(path: path, on: try store(of: ["a", "", "ccc"]))
    #expect(inspection.segments.count == 1)
    let records = inspection.segments[0].records
    #expect(records.map(\.header.sequence.rawValue) == [1, 2, 3, 4])
    #expect(records.map(\.header.valueByteCount).suffix(3) == [1, 0, 3])
    #expect(inspection.segments[0].ending?.fault == .absent)
  }

  @Test func `A damaged record ends the segment, with the reason`() throws {
    let disk = try store(of: ["a", "b", "c"])
    let intact = try FileInspection.inspect(path: path, on: disk)
    disk.flipBit(3, ofByte: Int(intact.segments[0].records[2].offset.byteOffset) + 16, in: path)
    let inspection = try FileInspection.inspect(path: path, on: disk)
    #expect(inspection.segments[0].records.count == 2)
    #expect(inspection.segments[0].ending == FormatError(.record, .checksum))
  }

  @Test func `A header that claims more slots than the file has is read as far as the file goes`() throws {
    let disk = try newStore()
    let head = try FileInspection.inspect(path: path, on: disk).head
    let run = try #require(SlotRun(first: 2, count: Limits.segmentSlotCountMax))
    let identity = SegmentIdentity(run: run, kind: .hot, generation: .first, salt: 1)
    let header = SegmentHeader(identity: identity, base: .zero, floor: .zero)
    disk.overwrite(header.encode(in: head.leading.identity), at: 32_768, in: path)
    let inspection = try FileInspection.inspect(path: path, on: disk)
    #expect(inspection.segments.map(\.header) == [header])
    #expect(inspection.segments[0].records.isEmpty)
  }

  @Test func `Nothing that inspecting does is a write`() throws {
    let disk = try store(of: ["a"])
    let before = disk.callCount
    let contents = disk.contents(of: path)
    _ = try FileInspection.inspect(path: path, on: disk)
    #expect(Set(disk.calls[before...].map(\.operation)) == [.open, .read, .byteCount, .findData, .close])
    #expect(disk.contents(of: path) == contents)
  }

  @Test func `A file that is not there is not found`() {
    let error = #expect(throws: SedimentError.self) {
      try FileInspection.inspect(path: path, on: SimulatedDisk(seed: 1))
    }
    #expect(error?.code == .notFound)
    #expect(error?.path == path)
  }
}
