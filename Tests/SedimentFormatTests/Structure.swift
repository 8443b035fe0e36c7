import SedimentFormat
import Testing

/// A structure of the format with all that the properties common to them need.
struct Structure: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let samples: [[UInt8]]
  /// Fewer bytes than these are not even the beginning of one.
  let byteCountMin: Int
  /// Whether a checksum of its own covers it.
  let isChecksummed: Bool
  /// Stores the checksum that the bytes must have.
  let mend: @Sendable (inout [UInt8]) -> Void
  /// Decodes the bytes and encodes what was found; says what is wrong with that, nil for nothing.
  let check: @Sendable ([UInt8]) throws(FormatError) -> String?

  /// `encode` is given what was decoded and the bytes, from which it takes what no header holds; `canonical`
  /// makes of the bytes those that the value stands for.
  private init<Value: Equatable & SendableMetatype>(
    _ name: String, _ samples: [[UInt8]], byteCountMin: Int = 0,
    mend: (@Sendable (inout [UInt8]) -> Void)? = nil,
    decode: @escaping @Sendable ([UInt8]) throws(FormatError) -> Value,
    encode: @escaping @Sendable (Value, [UInt8]) -> [UInt8]?,
    canonical: @escaping @Sendable (Value, [UInt8]) -> [UInt8] = { $1 }
  ) {
    testDescription = name
    self.samples = samples
    self.byteCountMin = byteCountMin
    isChecksummed = mend != nil
    self.mend = mend ?? { _ in }
    check = { (bytes) throws(FormatError) in
      let value = try decode(bytes)
      guard let made = encode(value, bytes) else { return nil }
      guard made == canonical(value, bytes) else { return "encodes to other bytes" }
      guard try decode(made) == value else { return "decodes to another value the second time" }
      return nil
    }
  }

  static let superblock = Structure(
    "superblock", [Sample.superblock.encode()], byteCountMin: 8, mend: { $0.mend(4096) },
    decode: { bytes throws(FormatError) in try Superblock.decode(bytes) },
    encode: { block, _ in block.encode() },
    canonical: { _, bytes in
      // What a later minor version adds is not kept.
      var bytes = Array(bytes[..<4096])
      for range in [14..<16, 70..<72, 156..<160, 184..<4096] {
        bytes.put([UInt8](repeating: 0, count: range.count), at: range.lowerBound)
      }
      bytes.mend(4096)
      return bytes
    })

  static let ownerNote = Structure(
    "owner's note", [Sample.ownerNote.encode()], mend: { $0.mend(64) },
    decode: { bytes throws(FormatError) in try OwnerNote.decode(bytes) },
    encode: { note, _ in note.encode() },
    canonical: { _, bytes in
      var bytes = Array(bytes[..<64])
      for range in [12..<16, 32..<64] {
        bytes.put([UInt8](repeating: 0, count: range.count), at: range.lowerBound)
      }
      bytes.mend(64)
      return bytes
    })

  static let segmentHeader = Structure(
    "segment header",
    [Sample.segmentHeader.encode(in: Sample.file)]
      + SegmentKind.allCases.map {
        SegmentHeader(identity: Sample.segment($0, first: 2), base: .zero, floor: .zero)
          .encode(in: Sample.file)
      },
    mend: { $0.mend(128) },
    decode: { bytes throws(FormatError) in try SegmentHeader.decode(bytes) },
    encode: { header, _ in header.encode(in: Sample.file) },
    canonical: { _, bytes in
      // What version 0.1 has at 88 is not kept.
      var bytes = Array(bytes[..<128])
      bytes.put(0 as UInt32, at: 88)
      bytes.mend(128)
      return bytes
    })

  static let record = Structure(
    "record", Sample.records,
    mend: { bytes in
      let claimed = try? unsafe RecordHeader.claimedByteCount(bytes.span.bytes)
      guard let claimed else { return }
      var whole = Array(bytes[..<claimed])
      whole.seal(at: Sample.place)
      bytes.put(Array(whole[0..<4]), at: 0)
    },
    decode: { bytes throws(FormatError) in try RecordHeader.decode(bytes) },
    encode: { header, bytes in
      SedimentFormatTests.record(
        header, key: Array(bytes[header.keyRange]), value: Array(bytes[header.valueRange]),
        at: Sample.place)
    },
    canonical: { header, bytes in Array(bytes[..<header.byteCount]) })

  static let valuePlace = Structure(
    "place of a large value", [Sample.valuePlaceBytes],
    decode: { bytes throws(FormatError) in try ValuePlace.decode(bytes) },
    encode: { place, bytes in place.encode() + bytes[place.tailOffset...] })

  static let controlRecord = Structure(
    "control record", Sample.controls.map { $0.encode()! },
    decode: { bytes throws(FormatError) in try ControlRecord.decode(bytes) },
    encode: { control, _ in control.encode() })

  static let catalogueEntry = Structure(
    "catalogue entry", Sample.entries.map { $0.encode() },
    decode: { bytes throws(FormatError) in try CatalogueEntry.decode(bytes) },
    encode: { entry, _ in entry.encode() },
    canonical: { entry, bytes in Array(bytes[..<entry.byteCount]) })

  static let all = [
    superblock, ownerNote, segmentHeader, record, valuePlace, controlRecord, catalogueEntry,
  ]
}
