import Sediment

// All ways of reading.

extension ModelRun {
  mutating func read() throws {
    let name = choices.name()
    guard let space = try space(name) else { return }
    switch choices.number(below: 20) {
    case 0: try readMany(space, name)
    case 1: try readPrefix(space, name)
    case 2: try readSome(space, name)
    case 3: try readCount(space, name)
    default: try readOne(space, name)
    }
  }

  private mutating func readOne(_ space: SedimentCollection, _ name: String) throws {
    let key = choices.key()
    switch choices.number(below: 6) {
    case 0: try expect(try space.retrieve(forKey: key), key, name, "retrieve")
    case 1:
      var buffer: [UInt8] = [1, 2, 3]
      let isThere = try space.retrieve(forKey: key, into: &buffer)
      try expect(isThere || buffer.isEmpty, "the buffer of a key that is not there")
      try expect(isThere ? buffer : nil, key, name, "retrieve into a buffer")
    case 2:
      let found = try space.withValue(forKey: key) { [UInt8](sedimentBytes: $0) }
      try expect(found, key, name, "read in place")
    case 3: try readText(key, space, name)
    case 4:
      let isThere = try space.contains(key)
      model.note(key, in: name, isThere: isThere)
      try expect(isThere == (model.entry(key, in: name) != nil), "contains")
    default:
      let found = try space.expiry(forKey: key)
      model.note(key, in: name, isThere: found != nil)
      let expected = model.entry(key, in: name).map {
        $0.expiry == 0 ? SedimentExpiry.never : .at(milliseconds: $0.expiry)
      }
      try expect(found == expected, "expiry")
    }
  }

  private mutating func readText(_ key: [UInt8], _ space: SedimentCollection, _ name: String) throws {
    do {
      let text = try space.retrieve(forKey: key, as: String.self)
      try expect(text.map { Array($0.utf8) }, key, name, "retrieve as text")
    } catch let error as SedimentError where error.code == .undecodable {
      let value = model.entry(key, in: name)?.value
      try expect(value.map { String(validating: $0, as: UTF8.self) } == .some(nil), "retrieve as text")
    }
  }

  private mutating func readMany(_ space: SedimentCollection, _ name: String) throws {
    let keys = (0..<choices.number(below: 80)).map { _ in choices.key() }
    var found: [[UInt8]?] = []
    if choices.isOne(of: 2) {
      found = try space.retrieve(forKeys: keys)
    } else {
      try space.withValues(forKeys: keys) { number, value in
        try expect(number == found.count, "the order of many keys")
        if let value { found.append([UInt8](sedimentBytes: value)) } else { found.append(nil) }
      }
    }
    try expect(found.count == keys.count, "how many came for many keys")
    for (key, value) in zip(keys, found) { try expect(value, key, name, "retrieve many") }
  }

  private mutating func readPrefix(_ space: SedimentCollection, _ name: String) throws {
    let key = choices.key()
    let prefix = key.prefix(choices.number(below: 6))
    let found = try space.keys(withPrefix: prefix)
    try expect(found == found.sorted { $0.lexicographicallyPrecedes($1) }, "the order of keys")
    let there = Set(found)
    try expect(there.count == found.count, "keys of a prefix come once")
    for key in model.visible(in: name).keys where key.starts(with: prefix) {
      model.note(key, in: name, isThere: there.contains(key))
    }
    try expect(
      there == Set(model.visible(in: name).keys.filter { $0.starts(with: prefix) }), "keys of a prefix")
  }

  /// Iterates as far as a number of keys.
  private mutating func readSome(_ space: SedimentCollection, _ name: String) throws {
    let count = choices.number(below: 20) + 1
    var found: [[UInt8]: [UInt8]] = [:]
    try space.forEach { key, value in
      found[[UInt8](sedimentBytes: key)] = [UInt8](sedimentBytes: value)
      return found.count == count ? .stop : .continue
    }
    for (key, value) in found { try expect(value, key, name, "iterate") }
    try expect(
      found.count <= count && found.count >= min(count, model.certainCount(in: name)), "iterate so far")
  }

  private func readCount(_ space: SedimentCollection, _ name: String) throws {
    let count = try space.count()
    try expect((model.certainCount(in: name)...model.visibleCount(in: name)).contains(count), "count")
  }

  /// Compares what was read of a key with what the model has.
  private mutating func expect(_ found: [UInt8]?, _ key: [UInt8], _ name: String, _ what: String) throws {
    model.note(key, in: name, isThere: found != nil)
    let expected = model.entry(key, in: name)?.value
    try expect(
      found == expected,
      "\(what): '\(name)' has \(found?.count ?? -1) bytes for a key of \(key.count), and not \(expected?.count ?? -1)"
    )
  }

  // MARK: Everything

  /// Compares everything that is in the store, and what it says of itself.
  mutating func expectWholeStore() throws {
    try expectContents(of: store)
    let entries = model.names.reduce(model.visibleCount(in: "")) { $0 + model.visibleCount(in: $1) }
    // What has expired may be there still.
    let figures = try store.statistics
    try expect(
      (entries...model.entryCount).contains(figures.liveKeyCount),
      "\(figures.liveKeyCount) live keys, and \(entries) to \(model.entryCount) are there")
    try expect(figures.collectionCount == model.names.count, "how many collections there are")
    if let byteCountMax = settings.byteCountMax {
      // A recovery needs slots of its own; where nothing is compacted, those are not won back.
      let byteCount = byteCountMax + (settings.compaction == .off ? recoveryCount * 2 * 16_384 : 0)
      try expect(figures.fileByteCount <= byteCount, "a file of \(figures.fileByteCount) bytes")
    }
  }

  /// Compares everything that is in a store which is to hold what the model does.
  mutating func expectContents(of store: SedimentStore) throws {
    try expect(store.collectionNames == model.names, "the names of the collections")
    for name in [""] + model.names {
      let space = try name.isEmpty ? store.defaultCollection : store.collection(name)
      var rest = model.visible(in: name)
      try space.forEach { key, value in
        let key = [UInt8](sedimentBytes: key)
        let expected = rest.removeValue(forKey: key)
        try expect(expected?.value == [UInt8](sedimentBytes: value), "a key of '\(name)', iterated")
        return .continue
      }
      for key in rest.keys { model.note(key, in: name, isThere: false) }
      let visible = model.visible(in: name)
      try expect(rest.keys.allSatisfy { visible[$0] == nil }, "all keys of '\(name)', iterated")
      try expect(try space.count() == visible.count, "the count of '\(name)'")
      for (key, entry) in visible where entry.expiry != 0 {
        try expect(
          try space.expiry(forKey: key) == .at(milliseconds: entry.expiry), "an expiry of '\(name)'")
      }
    }
  }
}
