internal import SedimentDisk
internal import SedimentFormat

/// What a record of the log names that lies elsewhere and was written, perhaps not synced, before it.
enum SidePiece {
  case extent(ValuePlace.Piece)
  case survivors(SegmentEntry)

  var generation: Generation {
    switch self {
    case .extent(let piece): piece.extent.generation
    case .survivors(let entry): entry.identity.generation
    }
  }
}

/// Looks whether what records at or above the watermark name is there (DESIGN.md 7, step 5): a record that names
/// something which is not whole ends the log.
struct SideCheck {
  private let surveyed: SurveyedFile
  private let buffer = ScanBuffer()
  private var limit: LogPosition

  init(_ surveyed: SurveyedFile, end: LogPosition) {
    self.surveyed = surveyed
    limit = end
  }

  /// The end that is left: everything that the log still holds there is whole, if its record stands at or above the
  /// watermark.
  ///
  /// An earlier end revives what was freed behind it, so that is looked at in turn; each just once.
  mutating func run(
    _ found: LogReplay.Findings, from watermark: LogPosition
  ) throws(SedimentError) -> LogPosition {
    var freed: [(at: LogPosition, piece: SidePiece, unit: LogPosition)] = []
    for (unit, piece) in found.sidePieces where unit >= watermark {
      if let at = found.freedAt[piece.generation] {
        freed.append((at, piece, unit))
      } else {
        try check(piece, of: unit)
      }
    }
    freed.sort { $0.at < $1.at }
    while let last = freed.last, last.at >= limit {
      freed.removeLast()
      try check(last.piece, of: last.unit)
    }
    return limit
  }

  private mutating func check(_ piece: SidePiece, of unit: LogPosition) throws(SedimentError) {
    guard unit < limit else { return }
    if try !isWhole(piece) { limit = unit }
  }

  private func isWhole(_ piece: SidePiece) throws(SedimentError) -> Bool {
    let (file, identity) = (surveyed.file, surveyed.identity)
    switch piece {
    case .extent(let piece): return try ExtentReading(piece, of: file, identity).verify()
    case .survivors(let entry):
      guard let end = entry.end else { return false }
      var counter = RecordCounter()
      do throws(SedimentError) {
        _ = try SegmentScan(entry, upTo: end, of: file, identity).run(buffer, &counter)
      } catch  where error.code == .damaged {
        return false
      }
      return counter.count == Int(entry.recordCount)
    }
  }

  /// Counts the records of a scan.
  private struct RecordCounter: RecordVisitor {
    var count = 0

    mutating func visit(_ records: UnsafeBufferPointer<ScannedRecord>) {
      count += records.count
    }
  }
}
