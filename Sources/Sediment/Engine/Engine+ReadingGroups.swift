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
      var probe = view.probe(unsafe group.hashes[number])
      let first = probe.next()
      if let first { prefetch(first) }
      unsafe (group.searches + number).initialize(to: KeySearch(probe: probe, first: first))
    }
    for number in 0..<group.count {
      let key = unsafe RawSpan(_unsafeBytes: group.key(number))
      guard let found = try findRecord(key, unsafe group.searches[number], view, state) else {
        try body(number, nil, 0)
        continue
      }
      let expiry = found.view.isPlainPut ? 0 : found.view.expiry
      let value = try value(of: found)
      defer { value.release() }
      unsafe try body(number, value.bytes, expiry)
    }
  }

  /// The record of a key whose search began in a view, which goes on unless there is something newer to be found.
  ///
  /// In the reader's scope that the view was taken in.
  @inline(__always)
  private func findRecord(
    _ key: RawSpan, _ search: KeySearch, _ view: IndexView, _ state: CollectionState
  ) throws(SedimentError) -> FoundRecord? {
    // What the closure does, or waits for, may have changed the index since.
    let now = index.view
    guard let first = search.first, now.holds(first, where: search.probe) else {
      return try findAnew(key, search.probe.hash, view, state)
    }
    var probe = search.probe
    return try findRecord(key, probe.hash, now, state, from: first, &probe)
  }

  /// The record of a key whose search found nothing, or what is no longer there.
  @inline(never)
  private func findAnew(
    _ key: RawSpan, _ hash: UInt64, _ view: IndexView, _ state: CollectionState
  ) throws(SedimentError) -> FoundRecord? {
    let now = index.view
    let hash = now.keyHash == view.keyHash ? hash : now.hash(key, collection: state.number)
    return try findRecord(key, hash, now, state)
  }
}
