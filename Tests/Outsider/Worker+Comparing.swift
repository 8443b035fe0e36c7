import Sediment

extension Worker {
  /// Whether nobody else has keys in a keyspace.
  private func isOwn(_ space: String) -> Bool { !space.isEmpty || session.threadCount == 1 }

  func compareCount(_ space: String) throws {
    guard isOwn(space), space.isEmpty || model.spaces[space] != nil else { return }
    let keyspace = try keyspace(space)
    let begin = Clock.now
    let count = try keyspace.count()
    let expected = self.count(of: space, from: begin, to: Clock.now)
    if count > expected.upperBound || !evicts && count < expected.lowerBound {
      findings.add(.count, "count() of '\(space)' is \(count) instead of \(expected)")
    }
  }

  /// How many keys of a keyspace have a value, as far as it can be known.
  func count(of space: String, from begin: UInt64, to end: UInt64) -> ClosedRange<Int> {
    var least = 0
    var most = 0
    for entry in model.contents(space).entries.values {
      switch entry.life.state(from: begin, to: end) {
      case .present:
        least += 1
        most += 1
      case .either: most += 1
      case .absent: break
      }
    }
    return least...most
  }

  /// Goes through keyspaces and compares all that is there with what should be.
  func compareAll(of spaces: [String]) throws {
    for space in spaces where model.spaces[space] != nil {
      try reading("going through all keys") { try compare(space) }
    }
  }

  private func compare(_ space: String) throws {
    let keyspace = try keyspace(space)
    var met: Set<Key> = []
    let begin = Clock.now
    if dice.isWithin(25) {
      for bytes in try keyspace.keys() { meet(bytes, space, &met) }
    } else {
      try keyspace.forEach { bytes, value in
        let key = meet([UInt8](sedimentBytes: bytes), space, &met)
        if let key { judge(value, model.contents(space)[key], space, key, begin, "forEach") }
        return session.ends ? .stop : .continue
      }
    }
    if session.ends { return }
    let end = Clock.now
    var missing: [Key] = []
    for (key, entry) in model.contents(space).entries
    where !met.contains(key) && entry.life.state(from: begin, to: end) == .present { missing.append(key) }
    if evicts {
      for key in missing { model.forget(space, key) }
    } else if let key = missing.first {
      let length = model.contents(space)[key]?.value.byteCount ?? 0
      findings.add(
        .iteration,
        "going through '\(space)' met \(met.count) keys and left out \(missing.count) that are there, such as "
          + "\(name(space, key)), of \(length) bytes")
    }
  }

  @discardableResult
  private func meet(_ bytes: [UInt8], _ space: String, _ met: inout Set<Key>) -> Key? {
    guard let key = Key(bytes) else {
      findings.add(.iteration, "going through '\(space)' met a key that nobody set, of \(bytes.count) bytes")
      return nil
    }
    // Others set and remove theirs meanwhile.
    guard key.thread == UInt8(thread) else {
      if isOwn(space) { findings.add(.iteration, "going through '\(space)' met a key of another thread") }
      return nil
    }
    if !met.insert(key).inserted {
      findings.add(.iteration, "going through '\(space)' met \(name(space, key)) twice")
    }
    return key
  }
}
