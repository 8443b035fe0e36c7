internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// Slots that were taken for segments which nobody knows of yet.
///
/// The writer adopts a segment once the log names it. The slots of all others come back when the reservation ends, whatever
/// the reason.
struct Reservation: ~Copyable {
  private(set) var segments: [SegmentIdentity] = []
  private let returned: ReturnedSlots

  /// A reservation of nothing, to which the writer adds.
  init(_ returned: ReturnedSlots) {
    self.returned = returned
  }

  deinit {
    returned.add(segments)
  }

  /// Gives everything back at once.
  mutating func giveBack() {
    returned.add(segments)
    segments = []
  }

  /// Takes over what another reservation holds.
  mutating func add(_ other: inout Reservation) {
    segments += other.segments
    other.segments = []
  }

  fileprivate mutating func add(_ segment: SegmentIdentity) {
    segments.append(segment)
  }

  /// Takes out a segment that it holds.
  fileprivate mutating func remove(_ segment: SegmentIdentity) {
    guard let place = segments.lastIndex(of: segment) else {
      preconditionFailure("a segment is adopted that was not reserved")
    }
    segments.remove(at: place)
  }
}

/// Slots of reservations that have ended, until the writer takes them back.
final class ReturnedSlots: Sendable {
  private let runs = Locked(.leaf, [SlotRun]())
  private let isEmpty = Atomic<Bool>(true)

  fileprivate func add(_ segments: [SegmentIdentity]) {
    if segments.isEmpty { return }
    runs.withLock { runs in
      runs += segments.map(\.run)
      isEmpty.store(false, ordering: .relaxed)
    }
  }

  fileprivate func takeAll() -> [SlotRun] {
    if isEmpty.load(ordering: .relaxed) { return [] }
    return runs.withLock { runs in
      defer { runs = [] }
      isEmpty.store(true, ordering: .relaxed)
      return runs
    }
  }
}

extension LogWriter {
  /// Makes a segment of slots that were taken just now, and adds it to a reservation; if that fails they are free again.
  mutating func reserve(
    _ kind: SegmentKind, _ run: SlotRun, _ reservation: inout Reservation
  ) throws(SedimentError) -> SegmentIdentity {
    let segment: SegmentIdentity
    do throws(SedimentError) {
      segment = try newIdentity(kind, run)
    } catch {
      space.give(run.first..<run.end)
      throw error
    }
    reservedSlotCount += run.count
    reservation.add(segment)
    return segment
  }

  /// An identity for a use of slots, whose seed differs from that of the use before (invariant 5).
  private mutating func newIdentity(
    _ kind: SegmentKind, _ run: SlotRun
  ) throws(SedimentError) -> SegmentIdentity {
    let before = run.first < freshSlot ? try lastSeed(of: run) : nil
    freshSlot = max(freshSlot, run.end)
    let generation = catalogue.numbers.nextGeneration
    catalogue.numbers.nextGeneration = generation.advanced(by: 1)!
    while true {
      let next = SegmentIdentity(run: run, kind: kind, generation: generation, salt: disk.random())
      if next.seed(in: identity) != before { return next }
    }
  }

  private func lastSeed(of run: SlotRun) throws(SedimentError) -> Checksum? {
    let bytes = try volume.file.bytes(at: run.byteRange.lowerBound, count: SegmentHeader.byteCount)
    let header = try? SegmentHeader.decodeFreed(unsafe bytes.span.bytes, in: identity, at: run.first)
    return header?.identity.seed(in: identity)
  }

  /// Takes a segment out of its reservation that the log names now.
  mutating func adopt(_ segment: SegmentIdentity, from reservation: inout Reservation) {
    reservation.remove(segment)
    reservedSlotCount -= segment.run.count
  }

  /// Frees the slots of reservations that have ended.
  mutating func takeBackReserved() {
    for run in returned.takeAll() {
      space.give(run.first..<run.end)
      reservedSlotCount -= run.count
    }
  }
}
