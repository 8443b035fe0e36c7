internal import SedimentDisk
internal import SedimentFormat

/// Lays what windows have of the log's last segment over a file of which the log is damaged before its end.
struct WindowSalvage {
  private let file: StoreFile
  private let identity: FileIdentity
  private let byteCount: UInt64

  init(_ file: StoreFile, _ identity: FileIdentity, byteCount: UInt64) {
    self.file = file
    self.identity = identity
    self.byteCount = byteCount
  }

  /// Goes to the end of what the last segment has in its place, or to the one that its seal leads to, and on in the
  /// windows that the catalogue or their headers tell of.
  func run(_ segments: [FoundSegment], _ catalogue: Catalogue?) {
    let hot = segments.filter { $0.identity.kind == .hot }
    guard let last = hot.max(by: { $0.identity.generation < $1.identity.generation }) else { return }
    var sweep = RecordSweep(
      file, identity, last.identity, base: last.header.base, upTo: min(last.end, byteCount))
    var segment = last.identity
    var (base, sequence) = (last.header.base, last.header.base)
    var end = segment.recordRange.lowerBound.byteOffset
    while let step = sweep.next() {
      guard case .record(let header, let start) = step else { continue }
      (end, sequence) = (start + UInt64(header.byteCount), header.sequence)
      guard header.kind == .control else { continue }
      let control = sweep.withRecord { bytes in
        try? ControlRecord.decode(bytes.extracting(header.valueRange), isBatched: header.isBatched)
      }
      guard case .seal(let seal)? = control else { continue }
      (segment, base) = (seal.next, sequence)
      end = segment.recordRange.lowerBound.byteOffset
    }
    let limit = min(segment.run.byteRange.upperBound, byteCount)
    let found = segments.map(\.identity).filter { $0.kind == .window }
    for window in found + [catalogue?.window].compactMap(\.self) {
      let reading = RingReading(window: Window(window.run), file: file)
      let records = try? reading.records(
        of: segment, in: identity, base: base, from: end, after: sequence, upTo: limit)
      guard let records, !records.isEmpty else { continue }
      return file.lay(records, over: end)
    }
  }
}
