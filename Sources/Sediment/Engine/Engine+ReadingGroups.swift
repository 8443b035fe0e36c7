internal import CSediment
internal import SedimentFormat

extension Engine {
  /// Calls `body` with the value of each key of a group and when it expires, nil and 0 where it has none, in the order
  /// of the keys.
  ///
  /// What they need from memory is asked for ahead: first the index's buckets of all, then their records. So the
  /// waits overlap, where one lookup after the other would wait for each.
  @usableFromInline
  func read(
    _ group: KeyGroup, _ state: CollectionState,
    _ body: (Int, UnsafeRawBufferPointer?, _ expiry: UInt64) throws -> Void
  ) throws {
    try checkReadable()
    precondition(group.count <= KeyGroup.countMax)
    Readers.enter(domain)
    defer { Readers.leave() }
    let view = index.view
    try unsafe withUnsafeTemporaryAllocation(of: UInt64.self, capacity: KeyGroup.countMax) { hashes in
      group.forEach { number, key in
        let hash = view.hash(key, collection: state.number)
        unsafe hashes[number] = hash
        view.prefetch(hash)
      }
      for number in 0..<group.count {
        var probe = unsafe view.probe(hashes[number])
        if let entry = probe.next() { prefetch(entry) }
      }
      try group.forEach { number, key in
        // What the closure does, or waits for, may have changed the index since.
        let now = index.view
        let hash =
          unsafe now.keyHash == view.keyHash ? hashes[number] : now.hash(key, collection: state.number)
        guard let found = try findRecord(key, hash, now, state) else {
          return try body(number, nil, 0)
        }
        let expiry = found.view.expiry
        let value = try value(of: found)
        defer { value.release() }
        unsafe try body(number, value.bytes, expiry)
      }
    }
  }
}
