internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

extension Engine {
  /// Figures of the store at this moment; zeros in a process that inherited it by a fork.
  func statistics() -> SedimentStatistics {
    var figures = SedimentStatistics()
    if lifetime.isForked { return figures }
    figures.indexByteCount = reader.index.byteCount
    figures.syncCount = log.gate.syncCount.load(ordering: .relaxed)
    figures.syncingNanoseconds = log.gate.turnNanoseconds
    figures.fileByteCount = (try? log.volume.file.byteCount()) ?? 0
    let all = reader.collections.all
    figures.liveKeyCount = reader.collections.keyCount
    figures.collectionCount = all.count - 1
    figures.lostDictionaryCount = reader.dictionaries.lost.count
    figures.trainingNanoseconds = trainer.trainingNanoseconds.load(ordering: .relaxed)
    for dictionary in reader.dictionaries.all {
      figures.dictionaryCount += 1
      figures.dictionaryByteCount += UInt64(dictionary.byteCount)
    }
    guard let writer = log.writer else {
      add(log.volume, to: &figures)
      return figures
    }
    let compression = writer.withLock { writer in
      writer.space.reclaimReturned()
      add(writer, to: &figures)
      add(log.volume, to: &figures)
      return all.map { $0.compression.figures(writer.permit) }
    }
    // Looked up by name without the lock, for which every change would wait.
    for (state, compression) in zip(all, compression) where compression.valueCount > 0 {
      figures.collectionCompression[String(decoding: state.name, as: UTF8.self)] = compression
      figures.compression.add(compression)
    }
    return figures
  }

  private func add(_ volume: Volume, to figures: inout SedimentStatistics) {
    figures.readMode = volume.readMode
    figures.memoryByteCount = volume.memoryByteCount
  }

  private func add(_ writer: borrowing LogWriter, to figures: inout SedimentStatistics) {
    let slotByteCount = UInt64(Limits.slotByteCount)
    let tail = writer.tail
    figures.add(
      writer.catalogue, logEnd: tail.position, liveByteCount: UInt64(max(writer.liveByteCount, 0)))
    figures.unstoredLogByteCount = writer.unstoredByteCount
    figures.freeByteCount = UInt64(writer.space.freeCount) * slotByteCount
    figures.holeByteCount = UInt64(writer.space.bareCount) * slotByteCount
    let opened = writer.openedTotals
    figures.writeAmplification = SedimentStatistics.amplification(
      written: figures.writtenByteCount &- opened.writtenByteCount,
      moved: figures.movedByteCount &- opened.movedByteCount)
    let recordSlotCount = writer.recordSlotCount
    if recordSlotCount > writer.dueSlotCount {
      figures.compactionDebtByteCount = UInt64(recordSlotCount - writer.dueSlotCount) * slotByteCount
    }
    figures.sequence = tail.sequence
  }
}

extension SedimentStatistics {
  /// Takes over what a catalogue says of a log that ends at a position, with so many bytes that the index leads to.
  mutating func add(_ catalogue: Catalogue, logEnd: LogPosition, liveByteCount: UInt64) {
    segmentCount = catalogue.segments.count
    storedIndexByteCount = UInt64(catalogue.indexSlotCount) * UInt64(Limits.slotByteCount)
    self.liveByteCount = liveByteCount
    let usedByteCount = catalogue.segments.reduce(0) { $0 + $1.recordByteCount(logEnd: logEnd) }
    deadByteCount = usedByteCount - min(usedByteCount, liveByteCount)
    let totals = catalogue.numbers.totals
    userByteCount = totals.userByteCount
    writtenByteCount = totals.writtenByteCount
    movedByteCount = totals.movedByteCount
    evictedKeyCount = totals.evictedCount
    expiredKeyCount = totals.expiredCount
  }
}

extension SedimentCompressionFigures {
  fileprivate mutating func add(_ other: SedimentCompressionFigures) {
    valueCount += other.valueCount
    compressedCount += other.compressedCount
    valueByteCount += other.valueByteCount
    storedByteCount += other.storedByteCount
    nanoseconds += other.nanoseconds
  }
}
