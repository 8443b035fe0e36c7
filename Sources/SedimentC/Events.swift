internal import CSedimentInterface
internal import Sediment

/// The closure that tells the observer of options; nil if they have none.
func eventObserver(_ options: sediment_options) -> (@Sendable (SedimentEvent) -> Void)? {
  guard let callback = unsafe options.observer else { return nil }
  let observer = unsafe Observer(callback: callback, context: options.observer_context)
  return { event in observer.tell(event) }
}

/// Whom to tell of events.
@safe
private struct Observer: @unchecked Sendable {
  // Sendable: the header says that it is called on other threads.
  let callback: sediment_observer_fn
  let context: UnsafeMutableRawPointer?

  func tell(_ event: SedimentEvent) {
    switch event {
    case .recovered(let report):
      let reason = CText(report.cut?.reason ?? "")
      var recovery = unsafe sediment_recovery(report, reason: reason)
      unsafe tell(SEDIMENT_EVENT_RECOVERED, recovery: &recovery)
    case .synced(let nanoseconds): unsafe tell(SEDIMENT_EVENT_SYNCED, nanoseconds: nanoseconds)
    case .segmentSealed: unsafe tell(SEDIMENT_EVENT_SEGMENT_SEALED)
    case .checkpoint: unsafe tell(SEDIMENT_EVENT_CHECKPOINT)
    case .failed(let error):
      unsafe withFailure(error, "sediment_open") { error in unsafe tell(SEDIMENT_EVENT_FAILED, error: error) }
    case .closed: unsafe tell(SEDIMENT_EVENT_CLOSED)
    }
  }

  private func tell(
    _ kind: sediment_event_kind, nanoseconds: UInt64 = 0, recovery: UnsafePointer<sediment_recovery>? = nil,
    error: UnsafePointer<sediment_error>? = nil
  ) {
    var event = unsafe sediment_event(
      size: MemoryLayout<sediment_event>.size, kind: Int32(kind.rawValue), reserved: 0,
      nanoseconds: nanoseconds,
      recovery: recovery, error: error)
    unsafe callback(context, &event)
  }
}

extension sediment_recovery {
  /// A report, whose reason lies in a text that the caller keeps.
  init(_ report: RecoveryReport, reason: borrowing CText) {
    unsafe self.init(
      size: MemoryLayout<Self>.size, was_closed: report.wasClosed ? 1 : 0,
      is_durable: report.isDurable ? 1 : 0,
      replayed_records: report.replayedRecordCount, replayed_bytes: report.replayedByteCount,
      stored_keys: report.storedKeyCount, scanned_records: report.scannedRecordCount,
      scanned_bytes: report.scannedByteCount, cut_offset: report.cut?.offset ?? 0,
      cut_reason: report.cut?.reason == nil ? nil : reason.start, nanoseconds: report.durationNanoseconds)
  }
}
