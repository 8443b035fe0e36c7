// What each function promises is said in sediment.h.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, AlwaysUseLowerCamelCase

public import CSedimentInterface
internal import Sediment

@c @implementation
public func sediment_get_statistics(
  _ store: OpaquePointer?, _ statistics: UnsafeMutablePointer<sediment_statistics>?
) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    let statistics = unsafe try required(statistics, "statistics")
    unsafe try checkSize(sediment_statistics.self, statistics.pointee.size, "statistics")
    try open.store.checkUsable()
    unsafe statistics.pointee = sediment_statistics(open.store.statistics)
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_each_compression(
  _ store: OpaquePointer?, _ callback: sediment_compression_fn?, _ context: UnsafeMutableRawPointer?
) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    let callback = unsafe try required(callback, "callback")
    try open.store.checkUsable()
    let figures = open.store.statistics.collectionCompression
    for name in figures.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      guard let found = figures[name] else { continue }
      var values = sediment_compression_figures(found)
      let answer = unsafe name.withCString { name in unsafe callback(context, name, &values) }
      if case .stop = try step(answer) { break }
    }
    return SEDIMENT_OK
  }
}

@c @implementation
public func sediment_each_segment(
  _ store: OpaquePointer?, _ callback: sediment_segment_fn?, _ context: UnsafeMutableRawPointer?
) -> sediment_status {
  unsafe using(store) { (open: OpenStore) in
    let callback = unsafe try required(callback, "callback")
    try open.store.checkUsable()
    for segment in open.store.segments {
      var segment = sediment_segment(segment)
      if case .stop = unsafe try step(callback(context, &segment)) { break }
    }
    return SEDIMENT_OK
  }
}

extension sediment_compression_figures {
  init(_ figures: SedimentCompressionFigures) {
    self.init(
      values: figures.valueCount, compressed_values: figures.compressedCount,
      value_bytes: figures.valueByteCount,
      stored_bytes: figures.storedByteCount, nanoseconds: figures.nanoseconds)
  }
}

extension sediment_statistics {
  init(_ figures: SedimentStatistics) {
    self.init()
    size = MemoryLayout<Self>.size
    live_keys = UInt64(clamping: figures.liveKeyCount)
    file_bytes = figures.fileByteCount
    live_bytes = figures.liveByteCount
    dead_bytes = figures.deadByteCount
    free_bytes = figures.freeByteCount
    hole_bytes = figures.holeByteCount
    segments = UInt64(clamping: figures.segmentCount)
    collections = UInt64(clamping: figures.collectionCount)
    index_bytes = UInt64(clamping: figures.indexByteCount)
    stored_index_bytes = figures.storedIndexByteCount
    unstored_log_bytes = figures.unstoredLogByteCount
    user_bytes = figures.userByteCount
    written_bytes = figures.writtenByteCount
    moved_bytes = figures.movedByteCount
    evicted_keys = figures.evictedKeyCount
    expired_keys = figures.expiredKeyCount
    compaction_debt_bytes = figures.compactionDebtByteCount
    write_amplification = figures.writeAmplification
    lifetime_write_amplification = figures.lifetimeWriteAmplification
    compression = sediment_compression_figures(figures.compression)
    dictionaries = UInt64(clamping: figures.dictionaryCount)
    dictionary_bytes = figures.dictionaryByteCount
    lost_dictionaries = UInt64(clamping: figures.lostDictionaryCount)
    training_nanoseconds = figures.trainingNanoseconds
    syncs = figures.syncCount
    sequence = figures.sequence
    syncing_nanoseconds = figures.syncingNanoseconds
    memory_bytes = figures.memoryByteCount
    reads_by_calls = figures.readMode == .mapped ? 0 : 1
  }
}

extension sediment_segment {
  init(_ segment: SedimentSegment) {
    let kind =
      switch segment.kind {
      case .hot: SEDIMENT_SEGMENT_HOT
      case .survivors: SEDIMENT_SEGMENT_SURVIVORS
      case .extent: SEDIMENT_SEGMENT_EXTENT
      case .index: SEDIMENT_SEGMENT_INDEX
      case .window: SEDIMENT_SEGMENT_WINDOW
      }
    self.init(
      size: MemoryLayout<Self>.size, kind: Int32(kind.rawValue), is_tail: segment.isTail ? 1 : 0,
      generation: segment.generation, offset: segment.byteOffset, bytes: segment.byteCount,
      used_bytes: segment.usedByteCount, live_bytes: segment.liveByteCount,
      records: UInt64(clamping: segment.recordCount), tombstones: UInt64(clamping: segment.tombstoneCount))
  }
}
