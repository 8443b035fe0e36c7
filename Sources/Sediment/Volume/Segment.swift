internal import CSediment
package import SedimentFormat
internal import Synchronization

/// What readers and the accounting know of a segment in memory: a handle to a block that never moves.
///
/// The first part is written before the segment is published in the slot table and never again, so readers need
/// no lock. The block is freed only when no reader can have found it.
@safe package struct Segment: @unchecked Sendable {
  private let block: UnsafeMutablePointer<Block>

  private struct Block {
    let seed: UInt32
    let kind: SegmentKind
    let base: UInt64
    let generation: UInt64
    let start: UInt64
    let end: UInt64
    let salt: UInt64
    /// Written while it is the one that the log ends in.
    var readableEnd: UInt64
  }

  package init(_ identity: SegmentIdentity, base: SequenceNumber, in file: FileIdentity) {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: 128, alignment: 64)
    unsafe block = memory.bindMemory(to: Block.self, capacity: 1)
    let bytes = identity.run.byteRange
    unsafe block.initialize(
      to: Block(
        seed: identity.seed(in: file).rawValue, kind: identity.kind, base: base.rawValue,
        generation: identity.generation.rawValue, start: bytes.lowerBound, end: bytes.upperBound,
        salt: identity.salt, readableEnd: bytes.upperBound))
    let counts = unsafe (memory + Self.countsOffset).bindMemory(to: SegmentCounts.Values.self, capacity: 1)
    unsafe counts.initialize(to: SegmentCounts.Values())
  }

  init(at address: UnsafeMutableRawPointer) {
    unsafe block = address.assumingMemoryBound(to: Block.self)
  }

  /// Where the block is, as slot tables hold it.
  package var address: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(block) }

  /// Where the checksums of its records begin.
  @inline(__always) var seed: UInt32 { unsafe block.pointee.seed }
  @inline(__always) var base: UInt64 { unsafe block.pointee.base }
  /// Behind its last byte.
  @inline(__always) var end: UInt64 { unsafe block.pointee.end }
  /// Up to where its records are in their places in the file; those from here on are in the window alone.
  @inline(__always) var readableEnd: UInt64 { unsafe Atomic<UInt64>.load(&block.pointee.readableEnd) }

  /// Lets readers read its records in their places up to an offset.
  ///
  /// Readers share the word with what they need of every segment, so it is left alone where it is as it should be.
  @inline(__always) func setReadableEnd(_ offset: UInt64, _ permit: borrowing WritePermit) {
    if unsafe block.pointee.readableEnd == offset { return }
    unsafe Atomic<UInt64>.store(offset, &block.pointee.readableEnd)
  }

  /// Its first byte.
  var start: UInt64 { unsafe block.pointee.start }
  var kind: SegmentKind { unsafe block.pointee.kind }
  var generation: UInt64 { unsafe block.pointee.generation }
  var salt: UInt64 { unsafe block.pointee.salt }

  /// The full sequence of a record of which the low 48 bits are given.
  @inline(__always) func sequence(low: UInt64) -> UInt64 {
    base &+ ((low &- base) & (Limits.sequenceSpan - 1))
  }

  /// What is counted of it, for whoever has the writer.
  @inline(__always) package func counts(_ permit: borrowing WritePermit) -> SegmentCounts {
    unsafe SegmentCounts(address + Self.countsOffset)
  }

  /// On another cache line than what readers use: what writers change does not disturb them.
  private static var countsOffset: Int { 64 }
}

/// What is counted of a segment in memory; see `Segment.counts`.
@safe package struct SegmentCounts: @unchecked Sendable {
  // Sendable: only who has the writer gets one to use.
  private let values: UnsafeMutablePointer<Values>

  fileprivate struct Values {
    var liveByteCount = 0
    var liveCount = 0
    var noticeBelow = Int.min
    var ledgerNumber = 0
    var tombstoneByteCount = 0
  }

  @inline(__always) fileprivate init(_ address: UnsafeMutableRawPointer) {
    unsafe values = address.assumingMemoryBound(to: Values.self)
  }

  /// The bytes of its records that the index leads to.
  @inline(__always) package var liveByteCount: Int {
    get { unsafe values.pointee.liveByteCount }
    nonmutating set { unsafe values.pointee.liveByteCount = newValue }
  }

  /// How many of its records the index leads to.
  @inline(__always) package var liveCount: Int {
    get { unsafe values.pointee.liveCount }
    nonmutating set { unsafe values.pointee.liveCount = newValue }
  }

  /// Whoever lets the live bytes fall below this tells the ledger; the lowest number where nobody need.
  @inline(__always) package var noticeBelow: Int {
    get { unsafe values.pointee.noticeBelow }
    nonmutating set { unsafe values.pointee.noticeBelow = newValue }
  }

  /// The bytes of its tombstones; an estimate where nobody has read them since the file was opened.
  package var tombstoneByteCount: Int {
    get { unsafe values.pointee.tombstoneByteCount }
    nonmutating set { unsafe values.pointee.tombstoneByteCount = newValue }
  }

  /// Where the ledger keeps it; of no meaning in a segment that it does not have.
  var ledgerNumber: Int {
    get { unsafe values.pointee.ledgerNumber }
    nonmutating set { unsafe values.pointee.ledgerNumber = newValue }
  }
}
