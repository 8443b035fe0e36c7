internal import SedimentDisk
internal import SedimentFormat

// What a store at rest must have done (DESIGN.md 12, "Rest").

extension Engine {
  /// Returns what the background has left undone though none of its jobs is planned any more, in words.
  ///
  /// Nobody may use the store meanwhile. With `isHeld`, readers or a backup keep freed slots. Of a store that is closed,
  /// poisoned or only read nothing is told, nor of one that somebody else compacts.
  func restFindings(isHeld: Bool) -> [String] {
    guard let writer = log.writer, let compaction = compactor.compaction, !lifetime.isForked else {
      return []
    }
    return compaction.withLock { compaction in
      writer.withLock { writer in
        guard !lifetime.isClosed, writer.poison == nil, options.compaction == .automatic else { return [] }
        var findings: [String] = []
        if writer.plans.isToBeSwept { findings.append("the index leads to cleared records") }
        if writer.space.freedSlotCount > 0, !isHeld {
          findings.append("\(writer.space.freedSlotCount) freed slots wait, and nobody holds them")
        }
        // Extents of records that cannot be read stay.
        let lost = contents.lostExtentSlotCount(writer)
        if lost > 0, writer.ledger.refused.isEmpty {
          findings.append("\(lost) slots of extents belong to no value, and wait for nothing")
        }
        if writer.isCompactionDue, writer.mayWin {
          findings.append("compaction is due, and none is planned")
        }
        // What is left at rest lies where it is needed soon.
        if compaction.excess(writer, nil) != nil, volume.file.traits.punchesHoles, !isHeld {
          findings.append("\(writer.space.freeCount) free slots were not given back")
        }
        if compaction.hasIdleBlocks(writer, nil) {
          findings.append("slots that an earlier opening has left keep their blocks")
        }
        return findings
      }
    }
  }
}

extension LogWriter {
  /// Whether compaction has more to win than when it last found nothing.
  fileprivate var mayWin: Bool { vainSlotCount < slotCountToWin }
}
