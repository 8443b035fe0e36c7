// How the writer makes room: one partition at a time gets another table, or two.

extension HashIndex {
  /// Inserts where the partition has no room as it is.
  @inline(never)
  func makeRoomAndInsert(_ hash: UInt64, _ entry: IndexEntry) {
    while true {
      let partition = directory.partition(of: hash)
      if place(entry, in: partition) { return }
      let bucketCount = partition.table.bucketCount
      if partition.counts.used >= IndexGrowth.usedCountMax(bucketCount: bucketCount) {
        enlarge(partition)
      } else if !IndexGrowth.isSparse(count: Int(partition.counts.live), bucketCount: bucketCount) {
        enlarge(partition, exceeding: bucketCount)
      } else {
        // Before the entry is stored, so that whoever may find it looks far enough.
        precondition(!partition.table.isCrowded, "an index partition has fewer free slots than it counts")
        publish(partition.table.crowded, partition.counts, in: partition.words)
      }
    }
  }

  /// Rebuilds a partition for one entry more.
  private func enlarge(_ partition: IndexPartition, exceeding bucketCount: Int = 0) {
    let live = Int(partition.counts.live)
    if live >= IndexGrowth.splitCountMin, canSplit(partition) {
      split(partition)
    } else {
      rebuild(partition, for: live + 1, exceeding: bucketCount)
    }
  }

  /// Gives a partition that an entry was removed from a smaller table, since it is sparse: not each time, because what is
  /// left may lie too close together for one.
  ///
  /// It does where entries were removed in the order of their hashes, as by a walk through the index.
  @inline(never)
  func shrinkNowAndThen(_ partition: IndexPartition) {
    if Int(partition.counts.live) % max(partition.table.bucketCount / 2, 1) == 0 { shrink(partition) }
  }

  /// Gives a sparse partition a smaller table.
  @inline(never)
  func shrink(_ partition: IndexPartition) {
    let live = Int(partition.counts.live)
    let bucketCount = IndexGrowth.bucketCount(for: live, number: partition.number)
    // A crowded one is as sparse as that when it is made, and would be made anew with each removal.
    let least = partition.table.isCrowded ? 3 * bucketCount : bucketCount
    if least < partition.table.bucketCount { rebuild(partition, for: live, unlessCrowded: true) }
  }

  private func canSplit(_ partition: IndexPartition) -> Bool {
    guard partition.table.depth < IndexGrowth.depthMax else { return false }
    return partition.words.count > 1
      || IndexGrowth.allows(wordCount: 2 * partition.directory.wordCount, count: count)
  }

  /// Moves a partition's entries to a new table for `count`, without its deleted slots.
  ///
  /// With `unlessCrowded`, not if the new one is crowded and the old one is not.
  private func rebuild(
    _ partition: IndexPartition, for count: Int, exceeding bucketCount: Int = 0, unlessCrowded: Bool = false
  ) {
    let old = partition.table
    let new = FilledTable(
      count, number: partition.number, depth: old.depth, exceeding: bucketCount
    ) { builder in
      old.forEachEntry { builder.add($0) }
    }
    if unlessCrowded, new.table.isCrowded, !old.isCrowded { return new.table.deallocate() }
    addToByteCount(new.table.byteCount)
    publish(new.table, new.counts, in: partition.words)
    giveBack(old)
  }

  /// Makes two partitions of one, by the next bit of the hash.
  private func split(_ whole: IndexPartition) {
    // Doubling gives the directory back that `whole` refers to.
    let lowestHash = whole.lowestHash
    if whole.words.count == 1 { doubleDirectory() }
    let partition = directory.partition(of: lowestHash)
    let old = partition.table
    let depth = old.depth + 1
    let bit: UInt64 = 1 << (63 - depth)

    var upperCount = 0
    old.forEachEntry { if $0.hashBits & bit != 0 { upperCount += 1 } }
    let lowerCount = Int(partition.counts.live) - upperCount
    let number = partition.number * 2
    let lower = FilledTable(lowerCount, number: number, depth: depth) { builder in
      old.forEachEntry { if $0.hashBits & bit == 0 { builder.add($0) } }
    }
    let upper = FilledTable(upperCount, number: number + 1, depth: depth) { builder in
      old.forEachEntry { if $0.hashBits & bit != 0 { builder.add($0) } }
    }
    addToByteCount(lower.table.byteCount + upper.table.byteCount)

    let words = partition.words
    let middle = (words.lowerBound + words.upperBound) / 2
    // From the last to the first: whoever walks from the lower half on must not meet the whole behind it.
    publish(upper.table, upper.counts, in: middle..<words.upperBound)
    publish(lower.table, lower.counts, in: words.lowerBound..<middle)
    giveBack(old)
  }

  private func doubleDirectory() {
    let new = directory.doubled()
    addToByteCount(new.byteCount)
    let old = exchangeDirectory(new)
    addToByteCount(-old.byteCount)
    unsafe retire(IndexMemory(old.memory))
  }

  /// Makes the words of a partition name its table.
  ///
  /// Until the last of them does, readers may see the table that it replaces, which nobody changes any more.
  private func publish(_ table: IndexTable, _ counts: IndexPartitionCounts, in words: Range<Int>) {
    if table.isCrowded { setCrowded(true) }
    let directory = directory
    directory.setCounts(counts, at: words.lowerBound)
    for index in words {
      directory.setTable(table, at: index)
      SchedulePoint.reach(.published)
    }
  }

  private func giveBack(_ table: IndexTable) {
    guard let memory = table.memory else { return }
    addToByteCount(-table.byteCount)
    retire(memory)
  }
}
