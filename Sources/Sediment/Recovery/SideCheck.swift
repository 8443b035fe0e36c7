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
  let surveyed: SurveyedFile
  private let buffer = ScanBuffer()

  init(_ surveyed: SurveyedFile) {
    self.surveyed = surveyed
  }

  /// The end that is left of a log: everything that it still holds there is whole, if its record stands at or above the
  /// watermark.
  ///
  /// An earlier end revives what was freed behind it. So what was freed last is looked at first, and what never was
  /// counts as freed at the end.
  func run(
    _ found: LogReplay.Findings, from watermark: LogPosition, to end: LogPosition
  ) throws(SedimentError) -> LogPosition {
    let sides = found.sides.filter { $0.unit >= watermark }
      .map { (freedAt: found.freedAt[$0.piece.generation] ?? end, unit: $0.unit, piece: $0.piece) }
      .sorted { $0.freedAt > $1.freedAt }
    var limit = end
    for side in sides {
      guard side.freedAt >= limit else { break }
      if side.unit < limit, try !isWhole(side.piece) { limit = side.unit }
    }
    return limit
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
