import Sediment

extension Worker {
  /// Reads a key in one of the ways that there are, and compares what is found.
  func read(_ space: String, _ key: Key) throws {
    try reading("reading") {
      let keyspace = try keyspace(space)
      let entry = model.contents(space)[key]
      let begin = Clock.now
      switch dice.number(below: 7) {
      case 0:
        let found = try keyspace.retrieve(forKey: key.bytes)
        judge(unsafe found?.span.bytes, entry, space, key, begin, "retrieve")
      case 1:
        let isThere = try keyspace.retrieve(forKey: key.bytes, into: &secondBuffer)
        let found = secondBuffer
        judge(isThere ? unsafe found.span.bytes : nil, entry, space, key, begin, "retrieve(into:)")
      case 2:
        let isThere = try keyspace.contains(key.bytes)
        judge(presence: isThere, entry, space, key, begin, "contains")
      case 3:
        let expiry = try keyspace.expiry(forKey: key.bytes)
        judge(presence: expiry != nil, entry, space, key, begin, "expiry")
        if let expiry, let entry { judge(expiry, entry, key) }
      case 4:
        let found = try keyspace.retrieveExpiring(forKey: key.bytes, as: [UInt8].self)
        judge(unsafe found?.value.span.bytes, entry, space, key, begin, "retrieveExpiring")
        if let found, let entry { judge(found.expiry, entry, key) }
      default:
        let isThere: Void? = try keyspace.withValue(forKey: key.bytes) { bytes in
          judge(bytes, entry, space, key, begin, "withValue")
        }
        if isThere == nil { judge(nil, entry, space, key, begin, "withValue") }
      }
    }
  }

  /// Reads several keys with one call.
  func readMany(_ space: String, _ keys: [Key]) throws {
    try reading("reading many") {
      let keyspace = try keyspace(space)
      let contents = model.contents(space)
      let begin = Clock.now
      if dice.isWithin(30) {
        let found = try keyspace.retrieve(forKeys: keys.map(\.bytes))
        for (key, bytes) in zip(keys, found) {
          judge(unsafe bytes?.span.bytes, contents[key], space, key, begin, "retrieve(forKeys:)")
        }
        return
      }
      var count = 0
      try keyspace.withExpiringValues(forKeys: keys.map(\.bytes)) { number, bytes, expiry in
        judge(bytes, contents[keys[number]], space, keys[number], begin, "withExpiringValues")
        if bytes != nil, let entry = contents[keys[number]] { judge(expiry, entry, keys[number]) }
        count += 1
      }
      if count != keys.count {
        findings.add(.iteration, "reading \(keys.count) keys at once told of \(count)")
      }
    }
  }

  /// Does what reads; errors are held against what they may be.
  func reading(_ name: String, _ body: () throws -> Void) throws {
    do {
      try session.watch.timed(name, thread: thread, byteCount: 1 << 20, body)
    } catch let error as SedimentError {
      if error.code == .closed, session.isClosing.isSet {
        throw Refused(outcome: .closed)
      }
      findings.add(.value, "\(name) threw \(error.code): \(error)")
    }
  }

  // MARK: What may be found

  func judge(
    _ bytes: RawSpan?, _ entry: Contents.Entry?, _ space: String, _ key: Key, _ begin: UInt64, _ way: String
  ) {
    judge(presence: bytes != nil, entry, space, key, begin, way)
    guard let bytes, let entry, !entry.value.isEqual(to: bytes, &buffer) else { return }
    let found = Value.Signature(bytes)
    let difference =
      found == entry.value.signature
      ? "a value of \(bytes.byteCount) bytes that begins as it should and goes on otherwise"
      : "\(bytes.byteCount) bytes that begin with \(found.head) instead of \(entry.value.signature.head)"
    findings.add(
      .value, "\(way) of \(name(space, key)), of \(entry.value.byteCount) bytes, found \(difference)")
  }

  func judge(
    presence isThere: Bool, _ entry: Contents.Entry?, _ space: String, _ key: Key, _ begin: UInt64,
    _ way: String
  ) {
    let expected = entry?.life.state(from: begin, to: Clock.now) ?? .absent
    switch (isThere, expected) {
    case (true, .absent):
      let reason = entry == nil ? "was removed or never set" : "has expired"
      findings.add(.value, "\(way) of \(name(space, key)) found something that \(reason)")
    case (false, .present):
      if evicts {
        model.forget(space, key)
      } else {
        findings.add(
          .value, "\(way) of \(name(space, key)), of \(entry?.value.byteCount ?? 0) bytes, found nothing")
      }
    default: break
    }
  }

  private func judge(_ expiry: SedimentExpiry, _ entry: Contents.Entry, _ key: Key) {
    let life = entry.life
    switch expiry {
    case .never where life.latest == .max: break
    case .at(let time) where time + 30 >= life.earliest && (life.latest == .max || time <= life.latest + 30):
      break
    default:
      findings.add(
        .value, "the expiry of key \(key.number) is \(expiry) instead of \(life.earliest)...\(life.latest)")
    }
  }

  func name(_ space: String, _ key: Key) -> String {
    "key \(key.number) (\(key.byteCount) bytes) of thread \(key.thread)\(space.isEmpty ? "" : " in '\(space)'")"
  }
}
