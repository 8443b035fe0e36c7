// The numbers of the format, each a type of its own, so that one is never taken for another. Those read from a
// file have been checked against their range when they are made by `init?`.

/// A number with a range of its own.
@usableFromInline package protocol FormatNumber: Hashable, Comparable, Sendable {
  var rawValue: UInt64 { get }
  /// Nil outside the range.
  init?(_ rawValue: UInt64)
}

extension FormatNumber {
  /// The number `distance` above this one, nil beyond the limit.
  @inlinable package func advanced(by distance: UInt64) -> Self? {
    let (sum, overflow) = rawValue.addingReportingOverflow(distance)
    return overflow ? nil : Self(sum)
  }

  @inlinable package static func < (left: Self, right: Self) -> Bool {
    left.rawValue < right.rawValue
  }
}

/// The number of a record in the history; 0 stands before the first.
@usableFromInline package struct SequenceNumber: FormatNumber {
  @usableFromInline package let rawValue: UInt64

  @inlinable package init?(_ rawValue: UInt64) {
    guard rawValue <= Limits.sequenceMax else { return nil }
    self.rawValue = rawValue
  }

  @inlinable init(unchecked rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The number of a change, counted one by one: no file lives long enough for too high a one.
  @inlinable @inline(__always) package init(counted rawValue: UInt64) {
    assert(rawValue <= Limits.sequenceMax)
    self.rawValue = rawValue
  }

  @usableFromInline package static let zero = SequenceNumber(unchecked: 0)
}

/// The number of one use of some slots, or of one writing of a superblock; grows over a file's whole life.
@usableFromInline package struct Generation: FormatNumber {
  @usableFromInline package let rawValue: UInt64

  /// A generation that something has: from 1 on.
  @inlinable package init?(_ rawValue: UInt64) {
    guard rawValue >= 1, rawValue <= Limits.generationMax else { return nil }
    self.rawValue = rawValue
  }

  @inlinable init(unchecked rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The first one.
  @usableFromInline package static let first = Generation(unchecked: 1)
}

/// A position in the file, in units of eight bytes.
@usableFromInline package struct UnitOffset: FormatNumber {
  @usableFromInline package let rawValue: UInt64

  @inlinable package init?(_ rawValue: UInt64) {
    guard rawValue <= UInt64(Limits.fileSlotCountMax) * Limits.slotUnitCount else { return nil }
    self.rawValue = rawValue
  }

  @inlinable init(unchecked rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// The unit that begins at a byte of the file; nil for one that no unit begins at.
  @inlinable package init?(byteOffset: UInt64) {
    guard byteOffset % UInt64(Limits.unitByteCount) == 0 else { return nil }
    self.init(byteOffset / UInt64(Limits.unitByteCount))
  }

  @usableFromInline package static let zero = UnitOffset(unchecked: 0)

  @inlinable package var byteOffset: UInt64 {
    rawValue * UInt64(Limits.unitByteCount)
  }

  /// The slot that the unit lies in.
  @inlinable package var slot: UInt32 {
    UInt32(truncatingIfNeeded: rawValue / Limits.slotUnitCount)
  }
}

/// A place in the hot log: a hot segment's generation and a position in the file.
///
/// It takes 16 bytes wherever it is stored: its generation, then its offset in units.
@usableFromInline package struct LogPosition: Hashable, Comparable, Sendable {
  @usableFromInline package let generation: Generation
  @usableFromInline package let offset: UnitOffset

  package init(_ generation: Generation, _ offset: UnitOffset) {
    self.generation = generation
    self.offset = offset
  }

  @inlinable package static func < (left: Self, right: Self) -> Bool {
    (left.generation, left.offset) < (right.generation, right.offset)
  }

  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(generation.rawValue, at: offset)
    bytes.store(self.offset.rawValue, at: offset + 8)
  }

  /// Decodes a position at an offset where the caller knows 16 bytes to be; nil if it is out of range.
  static func decode(_ bytes: RawSpan, at place: Int) -> LogPosition? {
    guard let generation = Generation(bytes.integer(at: place)),
      let offset = UnitOffset(bytes.integer(at: place + 8))
    else { return nil }
    return LogPosition(generation, offset)
  }
}

/// A run of adjacent slots that lies behind the head and within the largest file.
@usableFromInline package struct SlotRun: Hashable, Sendable {
  @usableFromInline package let first: UInt32
  @usableFromInline package let count: UInt32

  package init?(first: UInt32, count: UInt32) {
    guard first >= Limits.headSlotCount, count >= 1, count <= Limits.segmentSlotCountMax,
      first < Limits.fileSlotCountMax, count <= Limits.fileSlotCountMax - first
    else { return nil }
    self.first = first
    self.count = count
  }

  /// The first slot behind the run.
  package var end: UInt32 { first + count }

  package var byteRange: Range<UInt64> {
    let slotByteCount = UInt64(Limits.slotByteCount)
    return UInt64(first) * slotByteCount..<UInt64(end) * slotByteCount
  }

  /// The positions in the run, its end included.
  package var unitRange: ClosedRange<UnitOffset> {
    UnitOffset(
      unchecked: UInt64(first) * Limits.slotUnitCount)...UnitOffset(
        unchecked: UInt64(end) * Limits.slotUnitCount)
  }

  package func overlaps(_ other: SlotRun) -> Bool {
    first < other.end && other.first < end
  }
}

/// What distinguishes this file from every other; random, never all zero.
@usableFromInline package struct FileIdentity: Hashable, Sendable {
  @usableFromInline package let low: UInt64
  @usableFromInline package let high: UInt64

  package init?(low: UInt64, high: UInt64) {
    guard low != 0 || high != 0 else { return nil }
    self.low = low
    self.high = high
  }

  /// The checksum of the identity's bytes, which those of segments continue.
  package var checksum: Checksum {
    Checksum.empty.continued(with: low).continued(with: high)
  }
}
