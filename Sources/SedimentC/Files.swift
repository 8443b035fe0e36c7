// What each function promises is said in sediment.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import CSedimentInterface
internal import Sediment

@c @implementation
public func sediment_verify(
  _ path: UnsafePointer<CChar>?, _ progress: sediment_progress_fn?, _ finding: sediment_finding_fn?,
  _ context: UnsafeMutableRawPointer?, _ report: UnsafeMutablePointer<sediment_verification>?
) -> sediment_status {
  do {
    let path = unsafe try String(argument: path, "path")
    let target = unsafe try required(report, "report")
    unsafe try checkSize(sediment_verification.self, target.pointee.size, "report")
    let meter = unsafe Meter(progress, context)
    let report = try meter.watching { try SedimentStore.verify(path: path) { meter.tell($0) } }
    if let finding = unsafe finding { unsafe try tellFindings(report, finding, context) }
    unsafe target.pointee = sediment_verification(report)
    return SEDIMENT_OK
  } catch {
    return failed(error)
  }
}

@c @implementation
public func sediment_salvage(
  _ path: UnsafePointer<CChar>?, _ newPath: UnsafePointer<CChar>?, _ flags: UInt32,
  _ progress: sediment_progress_fn?, _ loss: sediment_finding_fn?, _ context: UnsafeMutableRawPointer?,
  _ report: UnsafeMutablePointer<sediment_salvage_report>?
) -> sediment_status {
  do {
    let path = unsafe try String(argument: path, "path")
    let newPath = unsafe try String(argument: newPath, "new_path")
    try checkFlags(flags, among: SEDIMENT_KEEP_UNCERTAIN.rawValue)
    if let report = unsafe report {
      unsafe try checkSize(sediment_salvage_report.self, report.pointee.size, "report")
    }
    let meter = unsafe Meter(progress, context)
    let saved = try meter.watching {
      try SedimentStore.salvage(
        from: path, to: newPath, keepsUncertain: flags & SEDIMENT_KEEP_UNCERTAIN.rawValue != 0
      ) { meter.tell($0) }
    }
    if let loss = unsafe loss { unsafe try tellLosses(saved, loss, context) }
    if let report = unsafe report { unsafe report.pointee = sediment_salvage_report(saved) }
    return SEDIMENT_OK
  } catch {
    return failed(error)
  }
}

@c @implementation
public func sediment_destroy(_ path: UnsafePointer<CChar>?) -> sediment_status {
  do {
    unsafe try SedimentStore.destroy(path: String(argument: path, "path"))
    return SEDIMENT_OK
  } catch {
    return failed(error)
  }
}

private func tellFindings(
  _ report: VerificationReport, _ callback: sediment_finding_fn, _ context: UnsafeMutableRawPointer?
) throws(Refusal) {
  for finding in report.findings {
    let goesOn = unsafe try tell(
      callback, context, kind: finding.kind.description, isDamage: finding.kind.isDamage, finding.range, nil,
      finding.message)
    if !goesOn { return }
  }
}

private func tellLosses(
  _ report: SalvageReport, _ callback: sediment_finding_fn, _ context: UnsafeMutableRawPointer?
) throws(Refusal) {
  for loss in report.losses {
    let goesOn = unsafe try tell(
      callback, context, kind: "lost", isDamage: true, loss.range, loss.sequences, loss.reason)
    if !goesOn { return }
  }
  for name in report.inventedNames {
    guard unsafe try tell(callback, context, kind: "invented", isDamage: false, 0..<0, nil, name) else {
      return
    }
  }
}

/// Tells a callback of a finding; false if it says stop.
private func tell(
  _ callback: sediment_finding_fn, _ context: UnsafeMutableRawPointer?, kind: String, isDamage: Bool,
  _ range: Range<UInt64>, _ sequences: ClosedRange<UInt64>?, _ message: String
) throws(Refusal) -> Bool {
  let answer = unsafe kind.withCString { kind in
    unsafe message.withCString { message in
      var finding = unsafe sediment_finding(
        size: MemoryLayout<sediment_finding>.size, is_damage: isDamage ? 1 : 0, reserved: 0,
        begin: range.lowerBound, end: range.upperBound, first_sequence: sequences?.lowerBound ?? 0,
        last_sequence: sequences?.upperBound ?? 0, kind: kind, message: message)
      return unsafe callback(context, &finding)
    }
  }
  return try step(answer) == .continue
}

extension sediment_verification {
  init(_ report: VerificationReport) {
    let wasClosed: Int32 = report.wasClosed.map { $0 ? 1 : 0 } ?? -1
    self.init(
      size: MemoryLayout<Self>.size, is_intact: report.isIntact ? 1 : 0, was_closed: wasClosed,
      file_bytes: report.fileByteCount, log_end: report.logEnd ?? 0, sequence: report.sequence ?? 0,
      findings: UInt64(clamping: report.findings.count),
      damages: UInt64(clamping: report.findings.count { $0.kind.isDamage }),
      segments: UInt64(clamping: report.segments.count))
  }
}

extension sediment_salvage_report {
  init(_ report: SalvageReport) {
    let knowledge: Int32 =
      switch report.knowledge {
      case .whole: 2
      case .partial: 1
      case .none: 0
      }
    self.init(
      size: MemoryLayout<Self>.size, is_complete: report.isComplete ? 1 : 0, knowledge: knowledge,
      keys: report.keyCount, bytes: report.byteCount, losses: UInt64(clamping: report.losses.count),
      lost_values: report.lostValueCount, broken_batches: report.brokenBatchCount,
      uncertain_keys: report.uncertainKeyCount, invented_names: UInt64(clamping: report.inventedNames.count))
  }
}
