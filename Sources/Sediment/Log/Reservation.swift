internal import SedimentDisk
internal import SedimentFormat

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
    Self.give(segments, to: returned)
  }

  /// Gives everything back at once.
  mutating func giveBack() {
    Self.give(segments, to: returned)
    segments = []
  }

  private static func give(_ segments: [SegmentIdentity], to returned: ReturnedSlots) {
    if segments.isEmpty { return }
    returned.withLock { runs in runs += segments.map(\.run) }
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
typealias ReturnedSlots = Locked<[SlotRun]>

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
    let header = try? SegmentHeader.decode(
      unsafe bytes.span.bytes, in: identity, at: run.first, mayBeFreed: true)
    return header?.identity.seed(in: identity)
  }

  /// Takes a segment out of its reservation that the log names now.
  mutating func adopt(_ segment: SegmentIdentity, from reservation: inout Reservation) {
    reservation.remove(segment)
    reservedSlotCount -= segment.run.count
  }

  /// Frees slots that were reserved; without blocks they are bare.
  mutating func giveBackReserved(_ run: Range<UInt32>, hasBlocks: Bool = true) {
    if hasBlocks { space.give(run) } else { space.giveBare(run) }
    reservedSlotCount -= UInt32(run.count)
  }

  /// Frees the slots of reservations that have ended.
  mutating func takeBackReserved() {
    let runs = returned.withLock { runs in
      defer { runs = [] }
      return runs
    }
    for run in runs {
      if erasingCount > 0 {
        runsToErase.append(run)
      } else {
        giveBackReserved(run.first..<run.end)
      }
    }
  }
}
