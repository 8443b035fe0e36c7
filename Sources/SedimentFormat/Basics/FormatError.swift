/// Why some bytes are not what they should be.
///
/// It says which structure and which field, never what the bytes were.
@usableFromInline package struct FormatError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was to be decoded or encoded.
  @usableFromInline package let structure: Structure
  /// What is wrong with it.
  @usableFromInline package let fault: Fault

  @inlinable package init(_ structure: Structure, _ fault: Fault) {
    self.structure = structure
    self.fault = fault
  }

  @usableFromInline package enum Structure: String, Hashable, Sendable {
    case superblock
    case segmentHeader = "segment header"
    case record
    case mark
    case seal
    case commit
    case catalogueChange = "catalogue change"
    case checkpointPart = "checkpoint part"
    case catalogueEntry = "catalogue entry"
    case indexPage = "page of a stored index"
    case indexPart = "part of a stored index"
    case valuePlace = "place of a large value"
    case ownerNote = "owner's note"
  }

  @usableFromInline package enum Fault: Hashable, Sendable {
    /// It does not begin as such a structure does; nothing more can be said of it.
    case absent
    /// There are fewer bytes than it takes.
    case truncated
    /// The checksum does not match.
    case checksum
    /// A field is out of its range, or not in its canonical form.
    case field(Field)
    /// It is sound, but made by a newer version: the number of a format, feature word, kind or tag.
    case newer(Field)
  }

  @usableFromInline package enum Field: String, Hashable, Sendable {
    case base, batched, clock, collection, copy, count, dataKey = "data key", dictionary, end, expiry,
      features
    case floor, generation, identity, kind, length, major, name, offset, padding, part, pieces, position
    case predecessor, reserved, salt, sequence, slots, state, tag, transform, type, value, watermark
  }

  @usableFromInline package var description: String {
    switch fault {
    case .absent: "no \(structure.rawValue)"
    case .truncated: "\(structure.rawValue) cut short"
    case .checksum: "\(structure.rawValue) whose checksum does not match"
    case .field(let field): "\(structure.rawValue) with a bad field: \(field.rawValue)"
    case .newer(let field): "\(structure.rawValue) of a newer version: \(field.rawValue)"
    }
  }
}
