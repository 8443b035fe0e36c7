import Foundation
import Sediment

/// What a file may take, from the model's side.
enum Bound {
  /// What records may take beyond twice the live bytes.
  static let slack = 16 << 20
  /// What the file may have besides records: it grows ahead of need, and what came free goes back by and by.
  static let ahead = 16 << 20
  /// What the stored index takes for each key, at most.
  static let indexed = 24
  /// What a compacted file may have besides what is live.
  static let compacted = 3 << 20
  /// What it may have besides for each long record: a segment ends where the next record does not fit.
  static let longRecord = 4 << 10

  static func records(holding held: Int) -> Int { 2 * held + slack }

  /// The bytes of a store's segments that hold what users set.
  static func records(of store: SedimentStore) -> Int {
    store.segments.reduce(0) { sum, segment in
      switch segment.kind {
      case .hot, .survivors, .extent: sum + Int(segment.byteCount)
      default: sum
      }
    }
  }
}

/// Looks at a file while threads write to it.
final class Gauge: @unchecked Sendable {
  // Sendable: its thread alone uses it until it has ended.
  private let session: Session
  private let ended = DispatchSemaphore(value: 0)
  private let stops = DispatchSemaphore(value: 0)
  private var isTold = false
  private var backupEnded = 0.0

  init(_ session: Session) { self.session = session }

  func begin() {
    Thread { [self] in
      while stops.wait(timeout: .now() + .milliseconds(200)) == .timedOut { look() }
      ended.signal()
    }.start()
  }

  func end() {
    stops.signal()
    ended.wait()
  }

  private func look() {
    if session.isClosing.isSet { return }
    session.judgeCap()
    guard session.settings.compaction == .automatic, !session.settings.evicts else { return }
    // A backup keeps what is freed meanwhile.
    if session.isBackingUp.isSet { backupEnded = Clock.seconds }
    let isExcused = Clock.seconds < backupEnded + 3
    let allowed = Bound.records(holding: session.account.most)
    // Twice what is allowed ends the burst: the disk belongs to others, too.
    if FileSize(session.path).allocated > 2 * allowed + (512 << 20) {
      session.stops.isSet = true
    }
    guard !isTold, !isExcused else { return }
    isTold = session.judgeRecords(allowed: allowed, "beside threads")
  }
}

extension Session {
  func judgeCap() {
    guard let most = byteCountMax else { return }
    let length = FileSize(path).length
    if length > most { findings.add(.cap, "the file has \(length) bytes, of at most \(most)") }
  }

  /// Whether records take more than they may.
  @discardableResult
  func judgeRecords(allowed: Int, _ moment: String) -> Bool {
    let records = Bound.records(of: store)
    guard records > allowed else { return false }
    let file = FileSize(path)
    let figures = store.statistics
    findings.add(
      .bound,
      "records take \(text(records)) of at most \(text(allowed)) \(moment); live \(text(Int(figures.liveByteCount))), "
        + "moved \(text(Int(figures.movedByteCount))), \(figures.segmentCount) segments; the file has "
        + "\(text(file.length)), \(text(file.allocated)) allocated")
    return true
  }
}

extension Case {
  func judgeCap() { session.judgeCap() }

  /// Whether the file has to come down to a lower cap: what it holds fits, or need not stay.
  private var mustComeDown: Bool {
    guard !session.isWithinCap.isSet, settings.compaction != .off else { return false }
    // The record of a long key needs a row before the cap (DESIGN.md 14).
    if workers.contains(where: { $0.model.hasLongKeys }) { return false }
    return settings.evicts || session.hasRoom(for: account.now)
  }

  /// Holds a file that has had the time for it against its lower cap.
  private func judgeComingDown() {
    guard mustComeDown else { return }
    session.isWithinCap.isSet = true
    judgeCap()
  }

  /// Waits until the background has brought the file down to a lower cap, and no longer than that may last.
  private func comeDown() {
    guard mustComeDown, settings.compaction == .automatic, let cap = settings.cap else { return }
    let end = Clock.seconds + 4 + Double(FileSize(path).allocated) / 20e6
    while Clock.seconds < end, FileSize(path).length > cap { usleep(200_000) }
    judgeComingDown()
  }

  func judgeRecords(holding held: Int, _ moment: String) {
    guard settings.compaction == .automatic, !settings.evicts else { return }
    session.judgeRecords(allowed: Bound.records(holding: held), moment)
  }

  /// Waits until the background has brought the file to what it should take, and no longer than that may last.
  func idle() throws {
    comeDown()
    guard settings.compaction == .automatic, !settings.evicts else {
      usleep(1_200_000)
      return
    }
    let held = account.now
    let allowed = Bound.records(holding: held)
    let keyCount = workers.reduce(0) { $0 + $1.model.count }
    let allocatedMax = allowed + Bound.ahead + keyCount * Bound.indexed
    let end = Clock.seconds + 4 + Double(FileSize(path).allocated) / 100e6
    while Clock.seconds < end {
      if FileSize(path).allocated <= allocatedMax, Bound.records(of: store) <= allowed {
        return account.forget()
      }
      usleep(200_000)
    }
    if session.judgeRecords(allowed: allowed, "of an idle store") { return }
    let file = FileSize(path)
    findings.add(
      .bound,
      "\(text(file.allocated)) of \(text(file.length)) are allocated in an idle store, of at most "
        + "\(text(allocatedMax)), where \(text(held)) are held")
  }

  /// Holds a file that was compacted against what it holds.
  func judgeCompacted(_ moment: String) {
    judgeComingDown()
    let held = account.now
    let keyCount = workers.reduce(0) { $0 + $1.model.count }
    let longRecordCount = workers.reduce(0) { $0 + $1.model.longRecordCount }
    // Slots are whole, and some are kept for a full disk; the record of a long key needs a row (DESIGN.md 14).
    let allowed =
      held + held / 16 + keyCount * Bound.indexed + longRecordCount * Bound.longRecord + Bound.compacted
    let records = Bound.records(of: store)
    let file = FileSize(path)
    let figures = store.statistics
    let live = Int(figures.liveByteCount)
    let what =
      "\(moment), where \(text(held)) are held and \(text(live)) live; \(figures.segmentCount) segments, "
      + "records \(text(records)), stored index \(text(Int(figures.storedIndexByteCount))), free "
      + "\(text(Int(figures.freeByteCount))), holes \(text(Int(figures.holeByteCount)))"
    if records > allowed {
      findings.add(.length, "records take \(text(records)) of at most \(text(allowed)) \(what)")
    } else if file.allocated > allowed {
      findings.add(.length, "\(text(file.allocated)) are allocated, of at most \(text(allowed)), \(what)")
    } else if file.length > allowed {
      findings.add(.length, "the file has \(text(file.length)), of at most \(text(allowed)), \(what)")
    }
    if live > held + (1 << 20) {
      findings.add(.count, "statistics tell of \(text(live)) that are live \(what)")
    }
  }
}
