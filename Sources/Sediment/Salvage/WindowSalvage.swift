internal import SedimentFormat

/// Lays what windows have of the log's last segment over a file of which the log is damaged before its end.
struct WindowSalvage {
  private let surveyed: SurveyedFile

  init(_ surveyed: SurveyedFile) {
    self.surveyed = surveyed
  }

  /// Goes to the end of what the last segment has in its place, or to the one that its seal leads to, and on in the
  /// windows that the catalogue or their headers tell of.
  func run(_ segments: [FoundSegment], _ catalogue: Catalogue?) throws(SedimentError) {
    let hot = segments.filter { $0.identity.kind == .hot }
    guard let last = hot.max(by: { $0.identity.generation < $1.identity.generation }) else { return }
    var sweep = RecordSweep(surveyed, last.identity, base: last.header.base, upTo: last.end)
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
    let found = segments.map(\.identity).filter { $0.kind == .window }
    for window in found + [catalogue?.window].compactMap(\.self) {
      let reading = RingReading(window: Window(window.run), surveyed: surveyed)
      let records = try? reading.records(of: segment, base: base, from: end, after: sequence)
      guard let records, !records.isEmpty else { continue }
      return surveyed.file.lay(records, over: end)
    }
  }
}
