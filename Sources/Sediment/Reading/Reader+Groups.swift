internal import SedimentFormat

extension Reader {
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
    try enterReading()
    defer { Readers.leave() }
    let view = index.view
    for number in 0..<group.count {
      let hash = view.hash(unsafe RawSpan(_unsafeBytes: group.key(number)), collection: state.number)
      unsafe group.hashes[number] = hash
      view.prefetch(hash)
    }
    for number in 0..<group.count {
      let search = KeySearch(unsafe group.hashes[number], in: view)
      if let first = search.first { prefetch(first) }
      unsafe (group.searches + number).initialize(to: search)
    }
    for number in 0..<group.count {
      let key = unsafe RawSpan(_unsafeBytes: group.key(number))
      let search = unsafe group.searches[number]
      // What the closure did, or waited for, may have changed the index since.
      if let first = search.first, search.probe.holds(first, in: index.view),
        let record = recordInPlace(key, search, state)
      {
        unsafe try body(number, record.value, record.expiry)
        continue
      }
      guard let found = try findAnew(key, search.probe.hash, view, state) else {
        try body(number, nil, 0)
        continue
      }
      let expiry = found.view.expiry
      let value = try value(of: found)
      defer { value.release() }
      unsafe try body(number, value.bytes, expiry)
    }
  }

  /// The record of a key whose hash in a view is known, and whose search came to nothing that can be used.
  @inline(never)
  private func findAnew(
    _ key: RawSpan, _ hash: UInt64, _ view: IndexView, _ state: CollectionState
  ) throws(SedimentError) -> FoundRecord? {
    let now = index.view
    let hash = now.keyHash == view.keyHash ? hash : now.hash(key, collection: state.number)
    return try findRecord(key, KeySearch(hash, in: now), state)
  }
}
