internal import CSediment
package import SedimentFormat
internal import Synchronization

/// What readers and the accounting know of a segment in memory: a handle to a block that never moves.
///
/// The first part is written before the segment is published in the slot table and never again, so readers need
/// no lock. The counts belong to whoever holds the writer's lock. The block is freed only when no reader can
/// have found it.
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
    let padding: UInt64 = 0
    // At byte 64, on another cache line: what writers change does not disturb readers.
    var liveByteCount = 0
    var liveCount = 0
    var noticeBelow = Int.min
    var ledgerNumber = 0
    var tombstoneByteCount = 0
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
  /// Under the writer's lock. Readers share the word with what they need of every segment, so it is left alone where it
  /// is as it should be.
  @inline(__always) func setReadableEnd(_ offset: UInt64) {
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

  /// The bytes of its records that the index points to.
  ///
  /// Under the writer's lock.
  package var liveByteCount: Int {
    get { unsafe block.pointee.liveByteCount }
    nonmutating set { unsafe block.pointee.liveByteCount = newValue }
  }

  /// How many of its records the index points to.
  ///
  /// Under the writer's lock.
  package var liveCount: Int {
    get { unsafe block.pointee.liveCount }
    nonmutating set { unsafe block.pointee.liveCount = newValue }
  }

  /// Whoever lets the live bytes fall below this says so to the ledger; the lowest number where nobody need.
  ///
  /// Under the writer's lock.
  package var noticeBelow: Int {
    get { unsafe block.pointee.noticeBelow }
    nonmutating set { unsafe block.pointee.noticeBelow = newValue }
  }

  /// The bytes of its tombstones; an estimate where nobody has read them since the file was opened.
  ///
  /// Under the writer's lock.
  package var tombstoneByteCount: Int {
    get { unsafe block.pointee.tombstoneByteCount }
    nonmutating set { unsafe block.pointee.tombstoneByteCount = newValue }
  }

  /// Where the ledger keeps it; of no meaning in a segment that it does not have.
  ///
  /// Under the writer's lock.
  var ledgerNumber: Int {
    get { unsafe block.pointee.ledgerNumber }
    nonmutating set { unsafe block.pointee.ledgerNumber = newValue }
  }
}
