internal import SedimentDisk
internal import SedimentFormat

/// Lays what windows have of the log's last segment over a file of which the log is damaged before its end.
struct WindowSalvage {
  private let file: PatchedFile
  private let identity: FileIdentity
  private let byteCount: UInt64

  init(_ file: PatchedFile, _ identity: FileIdentity, byteCount: UInt64) {
    self.file = file
    self.identity = identity
    self.byteCount = byteCount
  }

  /// Goes to the end of what the last segment has in its place, and on in the windows that the catalogue or their headers
  /// tell of.
  func run(_ segments: [FoundSegment], _ catalogue: Catalogue?) {
    let hot = segments.filter { $0.identity.kind == .hot }
    guard let last = hot.max(by: { $0.identity.generation < $1.identity.generation }) else { return }
    var sweep = RecordSweep(
      file, identity, last.identity, base: last.header.base, upTo: min(last.end, byteCount))
    var (end, sequence) = (last.identity.recordRange.lowerBound.byteOffset, last.header.base)
    while let step = sweep.next() {
      guard case .record(let header, let start) = step else { continue }
      (end, sequence) = (start + UInt64(header.byteCount), header.sequence)
    }
    let found = segments.map(\.identity).filter { $0.kind == .window }
    for window in found + [catalogue?.window].compactMap(\.self) {
      let reading = RingReading(window: Window(window.run), file: file)
      let records = try? reading.records(
        of: last.identity, in: identity, base: last.header.base, from: end, after: sequence, upTo: last.end)
      guard let records, !records.isEmpty else { continue }
      return file.add(records, at: end)
    }
  }
}
