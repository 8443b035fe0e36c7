internal import SedimentFormat

extension Log {
  /// Appends a catalogue change and makes the catalogue follow; the result is the sequence of its last record.
  ///
  /// It never needs more than single free slots: what is too long for the record of one slot is a batch.
  func change(
    _ entries: [CatalogueEntry], for purpose: SlotSpace.Purpose, _ writer: inout LogWriter
  ) throws(SedimentError) -> UInt64 {
    if entries.count > 1, entries.reduce(0, { $0 + $1.byteCount }) > options.changeByteCountMax {
      return try changeInParts(entries, &writer)
    }
    let change = CatalogueChange(entries)!
    try writer.makeRoom(Self.byteCount(of: change), for: purpose)
    // Making room may have appended a seal; a new collection says its own record's sequence.
    let sequence = SequenceNumber(writer.tail.sequence + 1)!
    try append(CatalogueChange(entries.map { $0.at(sequence) })!, isBatched: false, &writer)
    return sequence.rawValue
  }

  /// Appends a catalogue change as the members of a batch, of which all hold or none.
  ///
  /// It takes single slots from the reserve where it has to.
  private func changeInParts(
    _ entries: [CatalogueEntry], _ writer: inout LogWriter
  ) throws(SedimentError) -> UInt64 {
    let changes = entries.grouped(upTo: options.changeByteCountMax).map { CatalogueChange($0)! }
    let byteCounts = changes.map(Self.byteCount) + [RecordForm.byteCount(ofControl: Commit.byteCount)]
    // A call that fails between two members would leave a batch in the log that goes on with something else.
    var room = try writer.takeRoom(forEachOf: byteCounts, for: .goingOn)
    if room.next == 0 { try writer.goOn(inNextOf: &room) }
    return try writer.appendTogether { (writer, batch) throws(SedimentError) in
      for (number, change) in changes.enumerated() {
        if number == room.next { try writer.goOn(inNextOf: &room) }
        try append(change, isBatched: true, &writer)
        writer.addLastRecord(to: &batch)
      }
      if changes.count == room.next { try writer.goOn(inNextOf: &room) }
    }
  }

  /// Appends a catalogue change for which there is room, and makes the catalogue follow.
  func append(_ change: CatalogueChange, isBatched: Bool, _ writer: inout LogWriter) throws(SedimentError) {
    let sequence = SequenceNumber(writer.tail.sequence + 1)!
    try writer.append(.catalogueChange(change), isBatched: isBatched, .stored)
    writer.follow { (catalogue) throws(Catalogue.Contradiction) in try catalogue.apply(change, at: sequence) }
    for case .freed(_, let generation) in change.entries { writer.ledger.remove(generation) }
  }

  /// The bytes of a change's record.
  static func byteCount(of change: CatalogueChange) -> Int {
    RecordForm.byteCount(ofControl: change.encode().count)
  }
}

extension CatalogueEntry {
  /// The entry as a record of that sequence says it.
  func at(_ sequence: SequenceNumber) -> CatalogueEntry {
    guard case .collection(let entry) = self else { return self }
    return .collection(CollectionEntry(number: entry.number, clearedAt: sequence, name: entry.name)!)
  }
}
