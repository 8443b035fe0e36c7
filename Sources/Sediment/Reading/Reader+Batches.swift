internal import SedimentFormat

// What readers find while the index is being told of a batch.

extension Reader {
  // MARK: Readers meanwhile

  /// What a key's newest record was before the batch that is being told to the index.
  ///
  /// In a reader's scope.
  @inline(never)
  func beforeBatch(
    _ address: UInt, _ key: RawSpan, _ hash: UInt64, _ collection: UInt32, _ found: FoundRecord?
  ) throws(SedimentError) -> FoundRecord? {
    guard let pointer = unsafe UnsafeRawPointer(bitPattern: address) else { return found }
    // The batch lives until no reader is inside that could have loaded its address.
    let batch = unsafe Unmanaged<BatchChanges>.fromOpaque(pointer).takeUnretainedValue()
    let before = try batch.first(of: hash) { (change) throws(SedimentError) -> FoundRecord?? in
      if let found, change.after == found.position {
        found.release()
        return .some(change.before == 0 ? nil : try verifiedRecord(at: change.before))
      }
      if found == nil, change.before != 0, let before = try verifiedRecord(at: change.before) {
        if before.view.collection == collection, before.view.hasKey(key) { return .some(before) }
        before.release()
      }
      return nil
    }
    return before ?? found
  }

  private func verifiedRecord(at position: UInt64) throws(SedimentError) -> FoundRecord? {
    guard let found = try record(at: position) else { throw damaged(at: position) }
    guard !options.verifiesReads || found.view.isIntact(at: position, seed: found.segment.seed) else {
      found.release()
      throw damaged(at: position)
    }
    return found
  }
}
