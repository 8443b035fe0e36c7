package import SedimentFormat

// What replaces the whole index in one step: readers see all of it as it was or all of it as it is.

extension HashIndex {
  /// Removes all entries but those that are `kept`; from now on hashes are those of `keyHash`.
  ///
  /// Readers never miss one that is kept: they see it before and behind the one step by which the others go.
  package func removeAll(
    keyHash: KeyHash, expectedCount: Int = 0, but kept: [(hash: UInt64, position: UInt64)] = [],
    _ permit: borrowing WritePermit
  ) {
    let new = unsafe HashIndex(keyHash: keyHash, expectedCount: expectedCount) { unsafe $0.deallocate() }
    for (hash, position) in kept { new.insert(hash, position: position, permit) }
    adopt(new)
  }

  /// Places all entries anew by the hashes of `keyHash`, which `hash` must return for the key of each.
  ///
  /// Takes as much memory again while it runs, and a time that grows with the number of entries. Where
  /// `hash` throws, the index stays as it was.
  package func rebuild<Failure: Error>(
    keyHash: KeyHash, expectedCount: Int = 0, _ permit: borrowing WritePermit,
    hash: (IndexEntry) throws(Failure) -> UInt64
  ) throws(Failure) {
    let new = unsafe HashIndex(keyHash: keyHash, expectedCount: max(count, expectedCount)) {
      unsafe $0.deallocate()
    }
    let baseBitCount = new.directory.baseBitCount
    try directory.forEachPartition { (partition) throws(Failure) in
      try partition.table.forEachEntry { (entry) throws(Failure) in
        let hash = try hash(entry)
        new.insert(hash, entry.withHashBits(IndexEntry.hashBits(of: hash, baseBitCount: baseBitCount)))
      }
    }
    adopt(new)
  }

  /// Gives an empty index that nobody else uses yet tables for so many entries, so that they need not grow.
  package func reserve(_ count: Int, _ permit: borrowing WritePermit) {
    precondition(self.count == 0, "only an empty index can be given tables")
    let old = exchangeDirectory(
      IndexDirectory.make(
        keyHash: directory.keyHash, baseBitCount: IndexGrowth.baseBitCount(expectedCount: count)))
    addToByteCount(directory.byteCount - old.totalByteCount)
    unsafe old.forEachMemory { unsafe retire($0) }
    let directory = directory
    let entryCount = count >> Int(directory.baseBitCount)
    for number in 0..<directory.wordCount {
      let bucketCount = IndexGrowth.bucketCount(for: entryCount, number: UInt64(number))
      let table = IndexTable.make(bucketCount: bucketCount, depth: 0)
      addToByteCount(table.byteCount)
      directory.setTable(table, at: number)
    }
  }

  /// Gives back what tables are too large.
  package func trim(_ permit: borrowing WritePermit) {
    // Rebuilding a partition leaves the directory as it is.
    directory.forEachPartition { shrink($0) }
  }

  /// Takes over the contents of an index that nobody else has seen.
  private func adopt(_ new: HashIndex) {
    let taken = new.exchangeDirectory(
      IndexDirectory.make(keyHash: new.directory.keyHash, baseBitCount: new.directory.baseBitCount))
    addToByteCount(taken.totalByteCount)
    let old = exchangeDirectory(taken)
    setCount(new.count)
    setCrowded(new.isCrowded)
    addToByteCount(-old.totalByteCount)
    unsafe old.forEachMemory { unsafe retire($0) }
  }
}
