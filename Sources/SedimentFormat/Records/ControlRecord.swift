/// The types of control records, the first byte of their values.
enum ControlType: UInt8, Sendable {
  case mark = 1
  case seal = 2
  case commit = 3
  case catalogueChange = 4
  case checkpointPart = 5

  /// Unknown types from here on may be passed over; lower ones are of a newer version.
  static let ignorable: UInt8 = 0x80
}

/// What a control record says (DESIGN.md 3.5).
package enum ControlRecord: Hashable, Sendable {
  case mark(Mark)
  case seal(Seal)
  case commit(Commit)
  case catalogueChange(CatalogueChange)
  case checkpointPart(CheckpointPart)
  /// A type that a newer version added and that this one may pass over.
  case ignorable(type: UInt8)

  /// The value of its record.
  package func encode() -> [UInt8]? {
    switch self {
    case .mark(let mark): mark.encode()
    case .seal(let seal): seal.encode()
    case .commit(let commit): commit.encode()
    case .catalogueChange(let change): change.encode()
    case .checkpointPart(let part): part.encode()
    case .ignorable: nil
    }
  }

  /// Decodes the value of a control record, which may be a member of a batch only as a catalogue change.
  package static func decode(
    _ value: RawSpan, isBatched: Bool = false
  ) throws(FormatError) -> ControlRecord {
    guard value.byteCount >= 1 else { throw FormatError(.record, .field(.value)) }
    let type: UInt8 = value.integer(at: 0)
    let control: ControlRecord
    switch ControlType(rawValue: type) {
    case .mark: control = .mark(try Mark.decode(value))
    case .seal: control = .seal(try Seal.decode(value))
    case .commit: control = .commit(try Commit.decode(value))
    case .catalogueChange: return .catalogueChange(try CatalogueChange.decode(value))
    case .checkpointPart: control = .checkpointPart(try CheckpointPart.decode(value))
    case nil where type >= ControlType.ignorable: control = .ignorable(type: type)
    case nil: throw FormatError(.record, type == 0 ? .field(.type) : .newer(.type))
    }
    guard !isBatched else { throw FormatError(.record, .field(.batched)) }
    return control
  }

  /// Whether the value of a control record is a part of a checkpoint.
  package static func isCheckpointPart(_ value: RawSpan) -> Bool {
    value.byteCount >= 1 && value.integer(UInt8.self, at: 0) == ControlType.checkpointPart.rawValue
  }

  /// The record that holds it; only a catalogue change can be a member of a batch.
  package static func header(
    valueByteCount: Int, sequence: SequenceNumber, isBatched: Bool = false
  ) -> RecordHeader {
    RecordHeader(
      kind: .control, isBatched: isBatched, sequence: sequence, keyByteCount: 0,
      valueByteCount: valueByteCount)
  }
}
