internal import SedimentFormat

/// The records of a segment, counted by reading it.
struct RecordRecount: RecordVisitor {
  private(set) var recordCount = 0
  private(set) var tombstoneCount = 0
  private(set) var largeCount = 0

  mutating func visit(_ records: UnsafeBufferPointer<ScannedRecord>) {
    for number in 0..<records.count {
      recordCount += 1
      switch unsafe records[number].kind {
      case .remove: tombstoneCount += 1
      case .putLarge: largeCount += 1
      case .put, .control: continue
      }
    }
  }
}
