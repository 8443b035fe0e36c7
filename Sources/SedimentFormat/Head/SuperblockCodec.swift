extension Superblock {
  private enum Place {
    static let major = 12
    static let minor = 14
    static let neededToRead = 16
    static let neededToWrite = 24
    static let ignorable = 32
    static let identityLow = 40
    static let identityHigh = 48
    static let generation = 56
    static let copy = 64
    static let slotByteCountLog2 = 68
    static let state = 69
    static let lineageLow = 72
    static let lineageHigh = 80
    static let parentLow = 88
    static let parentHigh = 96
    static let fork = 104
    static let session = 112
    static let createdAt = 120
    static let segment = 128
    static let checkpoint = 160
    static let watermark = 168
  }

  private static let magic = 0x544e_454d_4944_4553 as UInt64  // "SEDIMENT"

  package func encode() -> [UInt8] {
    MagicBlock.encode(Self.magic, byteCount: Self.byteCount) { bytes in
      bytes.store(Self.major, at: Place.major)
      bytes.store(Self.minor, at: Place.minor)
      bytes.store(features.neededToRead, at: Place.neededToRead)
      bytes.store(features.neededToWrite, at: Place.neededToWrite)
      bytes.store(features.ignorable, at: Place.ignorable)
      bytes.store(identity.low, at: Place.identityLow)
      bytes.store(identity.high, at: Place.identityHigh)
      bytes.store(generation.rawValue, at: Place.generation)
      bytes.store(copy.rawValue, at: Place.copy)
      bytes.store(Limits.slotByteCountLog2, at: Place.slotByteCountLog2)
      bytes.store(state.rawValue, at: Place.state)
      bytes.store(lineage.low, at: Place.lineageLow)
      bytes.store(lineage.high, at: Place.lineageHigh)
      bytes.store(lineage.parentLow, at: Place.parentLow)
      bytes.store(lineage.parentHigh, at: Place.parentHigh)
      bytes.store(lineage.fork.rawValue, at: Place.fork)
      bytes.store(session, at: Place.session)
      bytes.store(createdAt, at: Place.createdAt)
      segment.encode(into: &bytes, at: Place.segment)
      bytes.store(checkpoint.rawValue, at: Place.checkpoint)
      watermark.encode(into: &bytes, at: Place.watermark)
    }
  }

  /// Decodes one copy.
  ///
  /// `.absent` means that the bytes are of another kind of file, or too few to tell, `.newer` that they are sound
  /// but not for this version, everything else that the copy is damaged or was torn.
  package static func decode(_ bytes: RawSpan, copy: Copy) throws(FormatError) -> Superblock {
    guard bytes.byteCount >= 8, bytes.integer(at: 0) == magic else { throw failure(.absent) }
    try MagicBlock.check(bytes, magic, byteCount: byteCount, for: .superblock)
    let features = try decodeVersion(bytes)
    guard bytes.integer(at: Place.copy) == copy.rawValue else { throw failure(.field(.copy)) }
    guard
      let identity = FileIdentity(
        low: bytes.integer(at: Place.identityLow), high: bytes.integer(at: Place.identityHigh))
    else { throw failure(.field(.identity)) }
    guard let generation = Generation(bytes.integer(at: Place.generation)) else {
      throw failure(.field(.generation))
    }
    guard let state = State(rawValue: bytes.integer(at: Place.state)) else { throw failure(.field(.state)) }
    let createdAt: UInt64 = bytes.integer(at: Place.createdAt)
    guard createdAt <= Limits.clockMax else { throw failure(.field(.clock)) }
    // The checkpoint's segment is a hot one; no newer version can mean another.
    guard SegmentIdentity.kindNumber(bytes, at: Place.segment) == SegmentKind.hot.rawValue else {
      throw failure(.field(.kind))
    }
    let segment = try SegmentIdentity.decode(bytes, at: Place.segment, for: .superblock)
    let (checkpoint, watermark) = try decodePositions(bytes, in: segment)
    return Superblock(
      copy: copy, generation: generation, features: features, identity: identity, state: state,
      lineage: try decodeLineage(bytes), session: bytes.integer(at: Place.session), createdAt: createdAt,
      segment: segment, checkpoint: checkpoint, watermark: watermark)
  }

  private static func decodeVersion(_ bytes: RawSpan) throws(FormatError) -> Features {
    guard bytes.integer(at: Place.major) == major else { throw failure(.newer(.major)) }
    let features = Features(
      neededToRead: bytes.integer(at: Place.neededToRead),
      neededToWrite: bytes.integer(at: Place.neededToWrite),
      ignorable: bytes.integer(at: Place.ignorable))
    guard features.mayRead else { throw failure(.newer(.features)) }
    guard bytes.integer(at: Place.slotByteCountLog2) == Limits.slotByteCountLog2 else {
      throw failure(.newer(.slots))
    }
    return features
  }

  private static func decodeLineage(_ bytes: RawSpan) throws(FormatError) -> Lineage {
    guard let fork = SequenceNumber(bytes.integer(at: Place.fork)) else { throw failure(.field(.sequence)) }
    return Lineage(
      low: bytes.integer(at: Place.lineageLow), high: bytes.integer(at: Place.lineageHigh),
      parentLow: bytes.integer(at: Place.parentLow), parentHigh: bytes.integer(at: Place.parentHigh),
      fork: fork)
  }

  private static func decodePositions(
    _ bytes: RawSpan, in segment: SegmentIdentity
  ) throws(FormatError) -> (checkpoint: UnitOffset, watermark: LogPosition) {
    guard let offset = UnitOffset(bytes.integer(at: Place.checkpoint)), segment.holdsRecord(at: offset) else {
      throw failure(.field(.offset))
    }
    guard let watermark = LogPosition.decode(bytes, at: Place.watermark),
      LogPosition(segment.generation, offset) < watermark
    else { throw failure(.field(.watermark)) }
    return (offset, watermark)
  }

  private static func failure(_ fault: FormatError.Fault) -> FormatError {
    FormatError(.superblock, fault)
  }
}
