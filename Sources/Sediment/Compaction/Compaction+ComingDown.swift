internal import SedimentFormat

// How a file that is longer than its cap comes down to it (DESIGN.md 8, "A lower cap").

extension Compaction {
  /// Makes the file as short as what it holds allows; where it is longer than its cap, and may evict, until it is not.
  ///
  /// With the lock of storing the index.
  func shortenToCap() throws(SedimentError) {
    try log.leaveWindowBeyondCap()
    for _ in 0..<Self.attemptCountMax {
      if evicts { try evictDownToCap() }
      try shortenAndTrim()
      // What was moved may take more than before: its segments may be shorter.
      guard writer.withLock({ writer in writer.isOverlong }) else { return }
    }
  }

  private static var attemptCountMax: Int { 4 }

  /// Evicts until what the file holds finds room before its cap, as far as there is anything to win.
  private func evictDownToCap() throws(SedimentError) {
    var vainCount = 0
    while vainCount < Self.attemptCountMax {
      _ = try freeDead()
      try log.bringBack()
      let survey = try surveySpace()
      guard survey.isOverlong, survey.room.present < survey.room.wanted else { return }
      _ = try makeRoom(in: survey, isBehindVain: vainCount > 0)
      try log.bringBack()
      // A checkpoint frees what the one before it took, each time anew.
      vainCount = hasMoreAvailable(than: survey) ? 0 : vainCount + 1
    }
  }

  /// Moves what lies beyond the cap before it and cuts the file's end off, if all of it finds room there; whether it
  /// was tried, and may be again: the end came nearer, or more has to go first.
  func comeDown() throws(SedimentError) -> Bool {
    guard let end = writer.withLock({ writer in mayComeDown(writer) ? writer.catalogue.slots.end : nil })
    else {
      return false
    }
    try shorten(downTo: writer.withLock { writer in writer.slotCountMax })
    try log.bringBack()
    try trim(to: 0)
    return writer.withLock { writer in
      guard writer.isOverlong else { return false }
      let isNearer = writer.catalogue.slots.end < end
      if !isNearer { writer.vainShortening = VainSearch(writer) }
      return isNearer || !writer.fitsBelowCap(withIndex: true)
    }
  }

  /// Whether the file is longer than its cap and need not be.
  func mayComeDown(_ writer: borrowing LogWriter) -> Bool {
    writer.isOverlong && writer.fitsBelowCap(withIndex: false)
      && !(writer.vainShortening?.isStill(writer) ?? false)
  }
}
