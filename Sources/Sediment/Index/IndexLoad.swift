package import SedimentFormat

/// Makes the tables of an index from entries that were stored, one partition at a time: a base partition, or what came of
/// one that was split when the index was stored.
///
/// Several threads may make tables.
package struct IndexLoad: Sendable {
  let keyHash: KeyHash
  /// How many bits of a hash choose its partition, and how many of these entries hold, too.
  let partitionBitCount: UInt64
  let splitBitCount: UInt64
  /// By how many bits base partitions are split at most, so that the directory stays small beside the entries.
  let depthMax: UInt64

  /// The most bits that choose a partition.
  static var partitionBitCountMax: UInt64 { KeyHash.baseBitCount + IndexGrowth.depthMax }

  /// The tables of a partition; whoever gets them lets an index have them, or drops them.
  package struct Tables: Sendable {
    let all: [FilledTable]

    /// Gives their memory back.
    package func drop() {
      for filled in all { filled.table.deallocate() }
    }
  }

  /// For an index with so many partitions and entries, about `largestCount` of them in the largest partition; nil if none
  /// has so many partitions, or such that were split by so many bits.
  package init?(
    keyHash: KeyHash, partitionCount: Int, splitBitCount: UInt64 = 0, entryCount: Int, largestCount: Int
  ) {
    let bitCount = UInt64(partitionCount.trailingZeroBitCount)
    guard partitionCount > 0, partitionCount & (partitionCount - 1) == 0,
      bitCount <= Self.partitionBitCountMax, splitBitCount <= bitCount,
      bitCount - splitBitCount == KeyHash.baseBitCount
    else { return nil }
    self.keyHash = keyHash
    self.splitBitCount = splitBitCount
    partitionBitCount = bitCount
    var depth = splitBitCount
    while depth < IndexGrowth.depthMax,
      largestCount >> Int(depth - splitBitCount) >= IndexGrowth.splitCountMin,
      IndexGrowth.allows(wordCount: partitionCount << Int(depth - splitBitCount + 1), count: entryCount)
    {
      depth += 1
    }
    depthMax = depth
  }

  /// Makes the tables of a partition with entries as they were stored, at most as many as was said of it.
  ///
  /// Nil if one belongs into another partition, or if the hashes are so much alike that no index would have been stored
  /// with them.
  package func tables(of partition: Int, _ entries: UnsafeMutableBufferPointer<UInt64>) -> Tables? {
    precondition(partition < 1 << Int(partitionBitCount), "a partition that the index does not have")
    guard unsafe belong(UnsafeBufferPointer(entries), to: partition) else { return nil }
    var bitCount: UInt64 = 0
    while splitBitCount + bitCount < depthMax, entries.count >> Int(bitCount) >= IndexGrowth.splitCountMin {
      bitCount += 1
    }
    let bounds = unsafe sort(entries, by: bitCount)
    var filled: [FilledTable] = []
    for number in 0..<1 << Int(bitCount) {
      let some = unsafe UnsafeBufferPointer(rebasing: entries[bounds[number]..<bounds[number + 1]])
      let place = UInt64(partition) << bitCount | UInt64(number)
      guard let table = unsafe Self.makeTable(some, number: place, depth: splitBitCount + bitCount) else {
        Tables(all: filled).drop()
        return nil
      }
      filled.append(table)
    }
    return Tables(all: filled)
  }

  /// Whether what entries hold of the bits that choose a partition chooses this one.
  private func belong(_ entries: UnsafeBufferPointer<UInt64>, to partition: Int) -> Bool {
    guard splitBitCount > 0 else { return true }
    let wanted = UInt64(partition) << (63 - splitBitCount)
    var difference: UInt64 = 0
    for place in 0..<entries.count { difference |= unsafe entries[place] ^ wanted }
    return (difference << 1) >> (64 - splitBitCount) == 0
  }

  /// Orders the entries of a partition by the next bits of their hashes; the result is where those of each value begin, and
  /// the end.
  private func sort(_ entries: UnsafeMutableBufferPointer<UInt64>, by bitCount: UInt64) -> [Int] {
    guard bitCount > 0 else { return [0, entries.count] }
    let shift = 63 - splitBitCount - bitCount
    let mask = UInt64(1) << bitCount - 1
    // They are in order where the partition was split as often when the index was stored.
    if let bounds = unsafe boundsInOrder(
      UnsafeBufferPointer(entries), 1 << Int(bitCount), { $0 >> shift & mask })
    {
      return bounds
    }
    var bounds = [Int](repeating: 0, count: 1 << Int(bitCount) + 1)
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
      keyHash: load.keyHash, depth: load.depthMax)
    for word in 0..<directory.wordCount {
      directory.setTable(.unfilled(depth: load.splitBitCount), at: word)
    }
    adopt(directory, count: 0, isCrowded: false)
  }

  /// Takes over the tables of a partition, which was not filled before; readers see all of them from then on.
  package func fill(_ partition: Int, with tables: IndexLoad.Tables, _ permit: borrowing WritePermit) {
    let directory = directory
    for (number, filled) in tables.all.enumerated() {
      addToByteCount(filled.table.byteCount)
      addToCount(Int(filled.counts.live))
      let wordCount = 1 << Int(directory.depth - filled.table.depth)
      let first = (partition * tables.all.count + number) * wordCount
      directory.setCounts(filled.counts, at: first)
      for word in first..<first + wordCount {
        directory.setTable(filled.table, at: word)
        SchedulePoint.reach(.published)
      }
    }
  }
}
