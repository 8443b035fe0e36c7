/// Something about an index that must never be.
package struct IndexViolation: Error, CustomStringConvertible {
  /// What was found.
  package let description: String
}

extension HashIndex {
  /// Checks the whole structure against what its types promise; for the writer, in tests and fuzzers.
  package func checkInvariants() throws(IndexViolation) {
    let directory = directory
    var live = 0
    var expectedFirst = 0
    var isAnyCrowded = false
    try directory.forEachPartition { (partition) throws(IndexViolation) in
      try require(partition.table.depth <= directory.depth, "a partition is deeper than the directory")
      try require(partition.first == expectedFirst, "a partition does not begin where the one before ends")
      expectedFirst = partition.words.upperBound
      for index in partition.words {
        try require(directory.table(at: index).word == partition.table.word, "words of a partition differ")
      }
      try partition.checkInvariants()
      live += Int(partition.counts.live)
      isAnyCrowded = isAnyCrowded || partition.table.isCrowded
    }
    try require(expectedFirst == directory.wordCount, "the last partition does not end with the directory")
    try require(live == count, "the partitions have \(live) entries, and \(count) are counted")
    try require(!isAnyCrowded || isCrowded, "a partition is crowded, and the index does not say so")
    let byteCount = directory.totalByteCount + IndexCounters.memoryByteCount
    try require(byteCount == self.byteCount, "\(byteCount) bytes in use, \(self.byteCount) counted")
  }
}

extension IndexPartition {
  fileprivate func checkInvariants() throws(IndexViolation) {
    let bucketCount = table.bucketCount
    var freeCounts = [(vacant: Int, deleted: Int)](repeating: (0, 0), count: bucketCount)
    for slot in 0..<table.slotCount {
      let raw = table.rawValue(at: slot)
      if raw == IndexEntry.vacant { freeCounts[slot / IndexTable.bucketSlotCount].vacant += 1 }
      if raw == IndexEntry.deleted { freeCounts[slot / IndexTable.bucketSlotCount].deleted += 1 }
    }
    let vacant = freeCounts.reduce(0) { $0 + $1.vacant }
    let deleted = freeCounts.reduce(0) { $0 + $1.deleted }
    try require(deleted == Int(counts.deleted), "\(deleted) slots are deleted, \(counts.deleted) counted")
    try require(vacant + counts.used == table.slotCount, "the slots do not add up")
    try require(
      counts.used <= IndexGrowth.usedCountMax(bucketCount: bucketCount), "more slots are used than may be")
    try require(
      !freeCounts.contains { $0.vacant > 0 && $0.deleted > 0 }, "a deleted slot beside a vacant one")
    for slot in 0..<table.slotCount {
      let raw = table.rawValue(at: slot)
      guard raw > IndexEntry.deleted else { continue }
      let entry = IndexEntry(rawValue: raw)
      try require(entry.position >= IndexEntry.positionMin, "an entry without a position")
      try require(
        directory.index(of: hash(of: entry)) &>> Int(directory.depth - table.depth) == Int(number),
        "an entry in a partition that is not its own")
      let bucket = slot / IndexTable.bucketSlotCount
      var passed = table.home(entry.hashBits)
      let distance = (bucket - passed + bucketCount) % bucketCount
      try require(distance < table.probeBucketCountMax, "a probe of \(distance + 1) buckets")
      while passed != bucket {
        try require(freeCounts[passed].vacant == 0, "an entry behind a vacant slot")
        passed = (passed + 1) % bucketCount
      }
    }
  }

  private func hash(of entry: IndexEntry) -> UInt64 {
    IndexView(directory: directory).hash(of: entry, from: lowestHash)
  }
}

private func require(_ condition: Bool, _ description: @autoclosure () -> String) throws(IndexViolation) {
  guard condition else { throw IndexViolation(description: description()) }
}
