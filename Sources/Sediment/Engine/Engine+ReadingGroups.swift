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
    Readers.enter(domain)
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
      let isCurrent = search.first.map { index.view.holds($0, where: search.probe) } ?? false
      if isCurrent, let record = plainRecord(key, search, state) {
        unsafe try body(number, record.value, record.isPlainPut ? 0 : record.expiry)
        continue
      }
      guard let found = try findRecord(key, search, isCurrent, view, state) else {
        try body(number, nil, 0)
        continue
      }
      let expiry = found.view.isPlainPut ? 0 : found.view.expiry
      let value = try value(of: found)
      defer { value.release() }
      unsafe try body(number, value.bytes, expiry)
    }
  }

  /// The record of a key whose search began in a view, which goes on unless there may be something newer to be found.
  ///
  /// In the reader's scope that the view was taken in.
  @inline(never)
  private func findRecord(
    _ key: RawSpan, _ search: KeySearch, _ isCurrent: Bool, _ view: IndexView, _ state: CollectionState
  ) throws(SedimentError) -> FoundRecord? {
    let now = index.view
    if isCurrent { return try findRecord(key, search, state) }
    let hash = now.keyHash == view.keyHash ? search.probe.hash : now.hash(key, collection: state.number)
    return try findRecord(key, KeySearch(hash, in: now), state)
  }
}
