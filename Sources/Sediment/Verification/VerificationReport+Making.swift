internal import SedimentFormat

extension VerificationReport {
  mutating func add(_ kind: Finding.Kind, _ range: Range<UInt64>, _ message: String) {
    findings.append(Finding(kind: kind, range: range, message: message))
  }

  /// Tells of records that were not found good.
  mutating func add(_ gap: RecordSweep.Gap) {
    if gap.isUnreadable {
      add(.unreadable, gap.range, "The disk cannot read records. \(Advice.disk)")
    } else {
      add(.corrupt, gap.range, "Records are damaged: \(gap.reason.description). \(Advice.restore)")
    }
  }

  /// Reads bytes that hold nothing, only to see whether the disk can; holes are passed over.
  mutating func readUnused(
    _ range: Range<UInt64>, of file: StoreFile, _ meter: inout ProgressMeter
  ) throws(SedimentError) {
    var window = FileWindow(file, isCareful: true)
    var position = range.lowerBound
    let end = range.upperBound
    while position < end {
      let data = file.readableRange(from: position, limit: end) ?? end..<end
      try meter.add(data.lowerBound - position)
      position = data.lowerBound
      while position < data.upperBound {
        try window.load(from: position, limit: data.upperBound)
        guard window.byteCount > 0 else { return }
        try meter.add(UInt64(window.byteCount))
        position = window.end
      }
    }
    for bad in window.unreadable.ranges {
      add(.unreadable, bad, "The disk cannot read bytes that hold nothing. \(Advice.disk)")
    }
  }

  /// Whether something damaged was found at a byte.
  func hasDamage(at offset: UInt64) -> Bool {
    findings.contains { $0.kind.isDamage && $0.range.contains(offset) }
  }

  /// Brings what was found into the order of the file, and tells of each segment whether it is intact.
  mutating func settle() {
    findings.sort { ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound) }
    segments.sort { ($0.range.lowerBound, $0.generation) < ($1.range.lowerBound, $1.generation) }
    var damaged = ByteRanges()
    for finding in findings where finding.kind.isDamage { damaged.insert(finding.range) }
    for number in segments.indices where damaged.overlaps(segments[number].range) {
      segments[number].isIntact = false
    }
  }
}

extension VerificationReport.Segment {
  init(_ identity: SegmentIdentity, usedByteCount: UInt64, isInUse: Bool) {
    kind =
      switch identity.kind {
      case .hot: .hot
      case .survivors: .survivors
      case .extent: .extent
      case .index: .index
      case .window: .window
      }
    generation = identity.generation.rawValue
    range = identity.run.byteRange
    self.usedByteCount = usedByteCount
    self.isInUse = isInUse
  }
}

extension VerificationReport.Superblock {
  init(_ copy: SedimentFormat.Superblock.Copy, _ found: HeadSurvey.State) {
    offset = copy.byteOffset
    state =
      switch found {
      case .sound(let block) where block.state == .closed: .closed(generation: block.generation.rawValue)
      case .sound(let block): .open(generation: block.generation.rawValue)
      case .unsound(let error): .damaged(reason: error.description)
      case .unreadable: .unreadable
      }
  }
}

/// What the findings of verification advise.
enum Advice {
  static let restore = "Keep the file as it is; restore a backup, or salvage it."
  static let disk = "Copy the file while that is possible, and look after the disk."
  static let nothing = "Nothing needs to be done."
  static let opening = "Opening the store for writing mends it."
}
