internal import SedimentFormat

extension Engine {
  /// All segments in the order of the file; none in a store that is only read, or in a fork's child.
  func segments() -> [SedimentSegment] {
    guard !isForked, let writer else { return [] }
    return writer.withLock { writer in
      writer.catalogue.setTail(writer.tail.entry)
      let parts = writer.catalogue.indexParts.map { segment($0.segment, kind: .index) }
      let others = writer.catalogue.segments.values.map { segment($0, writer) }
      return (parts + others).sorted { $0.byteOffset < $1.byteOffset }
    }
  }

  private func segment(_ identity: SegmentIdentity, kind: SedimentSegment.Kind) -> SedimentSegment {
    let bytes = identity.run.byteRange
    let byteCount = bytes.upperBound - bytes.lowerBound
    return SedimentSegment(
      kind: kind, generation: identity.generation.rawValue, byteOffset: bytes.lowerBound,
      byteCount: byteCount, usedByteCount: byteCount, liveByteCount: byteCount, recordCount: 0,
      tombstoneCount: 0, isTail: false)
  }

  private func segment(_ entry: SegmentEntry, _ writer: borrowing LogWriter) -> SedimentSegment {
    let kind: SedimentSegment.Kind =
      switch entry.identity.kind {
      case .hot: .hot
      case .survivors: .survivors
      case .extent: .extent
      case .index: .index
      case .catalogue: .catalogue
      case .window: .window
      }
    var result = segment(entry.identity, kind: kind)
    guard kind == .hot || kind == .survivors else { return result }
    let tail = writer.tail
    result.isTail = tail.identity == entry.identity
    let end = result.isTail ? tail.offset : entry.end?.byteOffset ?? result.byteOffset
    result.usedByteCount = end - min(entry.identity.recordRange.lowerBound.byteOffset, end)
    let live = slots.segment(at: UInt64(entry.identity.run.first))?.counts(writer.permit).liveByteCount ?? 0
    result.liveByteCount = UInt64(max(live, 0))
    result.recordCount = Int(entry.recordCount)
    result.tombstoneCount = Int(entry.tombstoneCount)
    return result
  }
}
