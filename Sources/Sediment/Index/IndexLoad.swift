package import SedimentFormat

/// Tables filled from entries that were stored, apart from any index, until one takes them over.
///
/// Partitions may be filled by several threads.
package final class IndexLoad: Sendable {
  let keyHash: KeyHash
  let baseBitCount: UInt64
  /// By how many bits partitions may be split, so that the directory stays small beside the entries.
  private let depthMax: UInt64
  /// The tables of the partitions that are filled, by their numbers.
  fileprivate let tables = Locked(.leaf, [Int: [FilledTable]]())

  /// A table that belongs to no index yet.
  typealias FilledTable = (table: IndexTable, counts: IndexPartitionCounts)

  /// For an index of so many entries; nil if none has so many partitions.
  package init?(keyHash: KeyHash, partitionCount: Int, entryCount: Int) {
    let bitCount = UInt64(partitionCount.trailingZeroBitCount)
    guard partitionCount > 0, partitionCount & (partitionCount - 1) == 0,
      IndexGrowth.baseBitCountRange.contains(bitCount)
    else { return nil }
    self.keyHash = keyHash
    baseBitCount = bitCount
    var depth: UInt64 = 0
    while depth < IndexGrowth.depthMax,
      IndexGrowth.allows(wordCount: partitionCount << Int(depth + 1), count: entryCount)
    {
      depth += 1
    }
    depthMax = depth
  }

  deinit {
    for filled in tables.withLock({ $0.values.joined() }) { filled.table.deallocate() }
  }

  /// Fills the tables of a base partition, each of which is filled once, with entries as they were stored.
  ///
  /// False, with nothing kept, if the hashes are so much alike that no index would have been stored with them.
  package func fill(_ partition: Int, _ entries: UnsafeMutableBufferPointer<UInt64>) -> Bool {
    precondition(partition < 1 << Int(baseBitCount), "a partition that the index does not have")
    var depth: UInt64 = 0
    while depth < depthMax, entries.count >> Int(depth) >= IndexGrowth.splitCountMin { depth += 1 }
    let bounds = unsafe sort(entries, depth: depth)
    var filled: [FilledTable] = []
    for number in 0..<1 << Int(depth) {
      let some = unsafe UnsafeBufferPointer(rebasing: entries[bounds[number]..<bounds[number + 1]])
      let place = UInt64(partition) << depth | UInt64(number)
      guard let table = unsafe Self.makeTable(some, number: place, depth: depth) else {
        for other in filled { other.table.deallocate() }
        return false
      }
      filled.append(table)
    }
    tables.withLock { $0[partition] = filled }
    return true
  }

  /// Orders entries by the first bits of their hashes; the result is where those of each value begin, and the end.
  private func sort(_ entries: UnsafeMutableBufferPointer<UInt64>, depth: UInt64) -> [Int] {
    guard depth > 0 else { return [0, entries.count] }
    let shift = 63 - depth
    let mask = UInt64(1) << depth - 1
    var bounds = [Int](repeating: 0, count: 1 << Int(depth) + 1)
    for place in 0..<entries.count {
      let raw = unsafe entries[place]
      bounds[Int(raw >> shift & mask) + 1] += 1
    }
    for number in 1..<bounds.count { bounds[number] += bounds[number - 1] }
    var next = bounds
    let sorted = UnsafeMutableBufferPointer<UInt64>.allocate(capacity: entries.count)
    defer { unsafe sorted.deallocate() }
    for place in 0..<entries.count {
      let raw = unsafe entries[place]
      let number = Int(raw >> shift & mask)
      unsafe sorted.initializeElement(at: next[number], to: raw)
      next[number] += 1
    }
    _ = unsafe entries.update(fromContentsOf: sorted)
    return bounds
  }

  /// A table of entries, as large as growing would have made it; nil if it would be crowded all the same.
  private static func makeTable(
    _ entries: UnsafeBufferPointer<UInt64>, number: UInt64, depth: UInt64
  ) -> FilledTable? {
    var exceeded = 0
    while true {
      let bucketCount = IndexGrowth.bucketCount(for: entries.count, number: number, exceeding: exceeded)
      var builder = IndexTableBuilder(bucketCount: bucketCount, depth: depth)
      for place in 0..<entries.count {
        let raw = unsafe entries[place]
        builder.add(IndexEntry(rawValue: raw))
        // At once, or as many entries as the file has could be made to look for a place among all others.
        if builder.table.isCrowded { break }
      }
      if !builder.table.isCrowded { return (builder.table, builder.counts) }
      builder.table.deallocate()
      if IndexGrowth.isSparse(count: entries.count, bucketCount: bucketCount) { return nil }
      exceeded = bucketCount
    }
  }
}

extension HashIndex {
  /// Takes over filled tables and their seed, instead of what the index holds; nobody else uses it yet.
  package func take(_ load: IndexLoad) {
    // Out of the load, which would give their memory back.
    let tables = load.tables.withLock { tables in
      defer { tables = [:] }
      return tables
    }
    var depth: UInt64 = 0
    while tables.values.contains(where: { $0.count > 1 << Int(depth) }) { depth += 1 }
    let directory = IndexDirectory.make(
      keyHash: load.keyHash, baseBitCount: load.baseBitCount, depth: depth)
    var count = 0
    for (partition, filled) in tables {
      let wordCount = (1 << Int(depth)) / filled.count
      for (number, table) in filled.enumerated() {
        let first = partition << Int(depth) + number * wordCount
        for word in first..<first + wordCount { directory.setTable(table.table, at: word) }
        directory.setCounts(table.counts, at: first)
        count += Int(table.counts.live)
      }
    }
    adopt(directory, count: count, isCrowded: false)
  }
}
