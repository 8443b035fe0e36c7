internal import SedimentFormat

// What leads on where the log is damaged before its end: checkpoints and windows that no superblock leads to.

extension SurveyedFile {
  /// Superblocks that would lead to the newest checkpoints, which are found by going through the hot segments.
  func checkpoints(in segments: [FoundSegment]) throws(SedimentError) -> [Superblock] {
    var found: [Superblock] = []
    let segments = segments.filter { $0.identity.kind == .hot }
      .sorted { $0.identity.generation > $1.identity.generation }
    for segment in segments where found.count < Self.checkpointCountMax {
      var sweep = segment.sweep(self)
      var inSegment: [Superblock] = []
      while let step = try sweep.next() {
        guard case .record(let record, let offset) = step,
          case .checkpointPart(let part)? = sweep.control(record), part.number == 0,
          let block = superblock(segment.identity, at: offset)
        else { continue }
        inSegment.append(block)
      }
      found += inSegment.reversed()
    }
    return Array(found.prefix(Self.checkpointCountMax))
  }

  /// How many of the newest checkpoints are looked for.
  private static var checkpointCountMax: Int { 4 }

  /// A superblock that claims no more than where a checkpoint begins.
  private func superblock(_ segment: SegmentIdentity, at offset: UInt64) -> Superblock? {
    guard let place = UnitOffset(byteOffset: offset), let last = Generation(Limits.generationMax) else {
      return nil
    }
    return Superblock(
      copy: .first, generation: .first, identity: identity, state: .open,
      lineage: Lineage(low: 0, high: 0),
      session: 0, createdAt: 0, segment: segment, checkpoint: place, watermark: LogPosition(last, .zero))
  }

  /// Lays what windows have of the log's last segment over the file.
  ///
  /// It goes to the end of what that segment has in its place, or on to the segment that its seal leads to, and from
  /// there on in the windows that the catalogue or their headers tell of.
  func layWindows(over segments: [FoundSegment], _ catalogue: Catalogue?) throws(SedimentError) {
    let hot = segments.filter { $0.identity.kind == .hot }
    guard let last = hot.max(by: { $0.identity.generation < $1.identity.generation }) else { return }
    var sweep = last.sweep(self)
    var segment = last.identity
    var (base, sequence) = (last.header.base, last.header.base)
    var end = segment.recordRange.lowerBound.byteOffset
    while let step = try sweep.next() {
      guard case .record(let header, let start) = step else { continue }
      (end, sequence) = (start + UInt64(header.byteCount), header.sequence)
      guard case .seal(let seal)? = sweep.control(header) else { continue }
      (segment, base) = (seal.next, sequence)
      end = segment.recordRange.lowerBound.byteOffset
    }
    // A header may claim any length, and all of a ring is read.
    let found = segments.map(\.identity).filter {
      $0.kind == .window && Window.slotCounts.contains($0.run.count)
    }
    for window in found + [catalogue?.window].compactMap(\.self) {
      let reading = RingReading(window: Window(window.run), surveyed: self)
      let records = try? reading.records(of: segment, base: base, from: end, after: sequence)
      guard let records, !records.isEmpty else { continue }
      return file.lay(records, over: end)
    }
  }
}
