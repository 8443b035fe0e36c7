package import SedimentFormat

/// Makes the tables of an index from entries that were stored, one base partition at a time.
///
/// Several threads may make tables.
package struct IndexLoad: Sendable {
  let keyHash: KeyHash
  let baseBitCount: UInt64
  /// By how many bits partitions are split at most, so that the directory stays small beside the entries.
  let depthMax: UInt64

  /// The tables of a base partition; whoever gets them lets an index have them, or drops them.
  package struct Tables: Sendable {
    let all: [FilledTable]

    /// Gives their memory back.
    package func drop() {
      for filled in all { filled.table.deallocate() }
    }
  }

  /// For an index with so many base partitions and entries, about `largestCount` of them in the largest partition; nil if
  /// none has so many partitions.
  package init?(keyHash: KeyHash, partitionCount: Int, entryCount: Int, largestCount: Int) {
    let bitCount = UInt64(partitionCount.trailingZeroBitCount)
    guard partitionCount > 0, partitionCount & (partitionCount - 1) == 0,
      IndexGrowth.baseBitCountRange.contains(bitCount)
    else { return nil }
    self.keyHash = keyHash
    baseBitCount = bitCount
    var depth: UInt64 = 0
    while depth < IndexGrowth.depthMax, largestCount >> Int(depth) >= IndexGrowth.splitCountMin,
      IndexGrowth.allows(wordCount: partitionCount << Int(depth + 1), count: entryCount)
    {
      depth += 1
    }
    depthMax = depth
  }

  /// Makes the tables of a base partition with entries as they were stored, at most as many as was said of it.
  ///
  /// Nil if the hashes are so much alike that no index would have been stored with them.
  package func tables(of partition: Int, _ entries: UnsafeMutableBufferPointer<UInt64>) -> Tables? {
    precondition(partition < 1 << Int(baseBitCount), "a partition that the index does not have")
    var depth: UInt64 = 0
    while depth < depthMax, entries.count >> Int(depth) >= IndexGrowth.splitCountMin { depth += 1 }
    let bounds = unsafe sort(entries, depth: depth)
    var filled: [FilledTable] = []
    for number in 0..<1 << Int(depth) {
      let some = unsafe UnsafeBufferPointer(rebasing: entries[bounds[number]..<bounds[number + 1]])
      let place = UInt64(partition) << depth | UInt64(number)
      guard let table = unsafe Self.makeTable(some, number: place, depth: depth) else {
        Tables(all: filled).drop()
        return nil
      }
      filled.append(table)
    }
    return Tables(all: filled)
  }

  /// Orders entries by the first bits of their hashes; the result is where those of each value begin, and the end.
  private func sort(_ entries: UnsafeMutableBufferPointer<UInt64>, depth: UInt64) -> [Int] {
    guard depth > 0 else { return [0, entries.count] }
    let shift = 63 - depth
    let mask = UInt64(1) << depth - 1
    // They are in order where the partition was split as often when the index was stored.
    if let bounds = unsafe boundsInOrder(
      UnsafeBufferPointer(entries), 1 << Int(depth), { $0 >> shift & mask })
    {
      return bounds
    }
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

  /// Where the entries of each number begin, and the end, if they stand in the order of their numbers; else nil.
  @inline(__always)
  private func boundsInOrder(
    _ entries: UnsafeBufferPointer<UInt64>, _ numberCount: Int, _ number: (UInt64) -> UInt64
  ) -> [Int]? {
    var bounds = [0]
    bounds.reserveCapacity(numberCount + 1)
    var last: UInt64 = 0
    for place in 0..<entries.count {
      let number = unsafe number(entries[place])
      if number == last { continue }
      if number < last { return nil }
      for _ in last..<number { bounds.append(place) }
      last = number
    }
    for _ in last..<UInt64(numberCount) { bounds.append(entries.count) }
    return bounds
  }

  /// A table of entries, as large as growing would have made it; nil if it would be crowded all the same.
  private static func makeTable(
    _ entries: UnsafeBufferPointer<UInt64>, number: UInt64, depth: UInt64
  ) -> FilledTable? {
    let filled = FilledTable(entries.count, number: number, depth: depth) { builder in
      for place in 0..<entries.count {
        let raw = unsafe entries[place]
        builder.add(IndexEntry(rawValue: raw))
        // At once, or as many entries as the file has could be made to look for a place among all others.
        if builder.isCrowded { return }
      }
    }
    guard filled.table.isCrowded else { return filled }
    filled.table.deallocate()
    return nil
  }
}

extension HashIndex {
  /// Lets all partitions be filled later, and hashes be those of a load, instead of what the index holds; nobody else uses
  /// it yet.
  ///
  /// Until all are filled nothing may be changed but by `fill`.
  package func beginFilling(_ load: IndexLoad, _ permit: borrowing WritePermit) {
    let directory = IndexDirectory.make(
      keyHash: load.keyHash, baseBitCount: load.baseBitCount, depth: load.depthMax)
    for word in 0..<directory.wordCount { directory.setTable(.unfilled(depth: 0), at: word) }
    adopt(directory, count: 0, isCrowded: false)
  }

  /// Takes over the tables of a base partition, which was not filled before; readers see all of them from then on.
  package func fill(_ partition: Int, with tables: IndexLoad.Tables, _ permit: borrowing WritePermit) {
    let directory = directory
    let depth = directory.depth
    let wordCount = (1 << Int(depth)) / tables.all.count
    for (number, filled) in tables.all.enumerated() {
      addToByteCount(filled.table.byteCount)
      addToCount(Int(filled.counts.live))
      let first = partition << Int(depth) + number * wordCount
      directory.setCounts(filled.counts, at: first)
      for word in first..<first + wordCount {
        directory.setTable(filled.table, at: word)
        SchedulePoint.reach(.published)
      }
    }
  }
}
