package import SedimentFormat

/// The tables of a store: its segments, collections and dictionaries, and a few numbers (DESIGN.md 3.6).
///
/// It is what a checkpoint says whole and catalogue changes say in part. Recovery builds it from the log, the
/// writer keeps it under its lock; both change it by the same methods, each of which refuses what contradicts
/// what is there and then leaves it unchanged.
package struct Catalogue: Sendable {
  package var numbers: StoreNumbers
  /// The segments, without those of index parts.
  package private(set) var segments = SegmentEntries()
  package private(set) var slots = SlotMap()
  /// The generation of the hot segment that the log ends in; nil before the first is known.
  package internal(set) var tail: Generation?
  /// The segment of the window; nil in a file that has none.
  package private(set) var window: SegmentIdentity?
  package private(set) var collections = CollectionEntries()
  package private(set) var dictionaries: [UInt32: DictionaryEntry] = [:]
  /// The parts of the stored index by the generations of their segments.
  private var partsByGeneration: [Generation: IndexPartEntry] = [:]
  /// The slots of these.
  package private(set) var indexSlotCount: UInt32 = 0
  package private(set) var ignorable: [[UInt8]] = []

  package init(numbers: StoreNumbers) {
    self.numbers = numbers
  }

  /// Something that a sound record says and that cannot be: no writer made it, or not for this log.
  package struct Contradiction: Error, Hashable, Sendable {
    package let reason: String

    package init(_ reason: String) {
      self.reason = reason
    }
  }

  // MARK: Questions

  /// Up to which sequence the records of a collection are dead; nil if all of them are, because it is no more.
  package func deadUpTo(collection number: UInt32) -> SequenceNumber? {
    if number >= CollectionEntry.systemNumberMin { return .zero }
    guard let entry = collections[number] else { return number == 0 ? numbers.everythingClearedAt : nil }
    return max(entry.clearedAt, numbers.everythingClearedAt)
  }

  /// The parts of the stored index in the order of their generations.
  package var indexParts: [IndexPartEntry] {
    partsByGeneration.values.sorted { $0.segment.generation < $1.segment.generation }
  }

  package var indexPartCount: Int { partsByGeneration.count }

  /// The highest sequence that the catalogue names.
  package var highestSequence: SequenceNumber {
    var highest = numbers.everythingClearedAt
    for entry in segments { highest = max(highest, entry.highest, entry.floor) }
    for entry in collections { highest = max(highest, entry.clearedAt) }
    return highest
  }

  /// The highest generation that the catalogue names.
  package var highestGeneration: Generation {
    // The next one was made by adding, so there is one below it, or it is the first.
    Generation(numbers.nextGeneration.rawValue - 1) ?? .first
  }

  // MARK: The hot log

  /// Lets the log go on in another hot segment, whose records follow `base`; the one before ends at `end`.
  package mutating func link(
    _ next: SegmentIdentity, base: SequenceNumber, endOfTail end: UnitOffset?
  ) throws(Contradiction) {
    guard next.kind == .hot else { throw Contradiction("the log goes on in a segment of another kind") }
    if let tail {
      guard tail < next.generation else { throw Contradiction("the log goes back to an older segment") }
    }
    try adopt(SegmentEntry(tail: next, base: base))
    if let tail { segments.update(tail) { $0.end = end } }
    tail = next.generation
  }

  /// Counts a record of the hot log that is no control record, or notes the sequence of one that is.
  package mutating func count(_ record: RecordHeader) {
    guard let tail else { return }
    let now = numbers.clocks.highest
    segments.update(tail) { $0.count(record, now: now) }
  }

  /// Takes the counts of the tail that the writer kept beside the catalogue.
  package mutating func setTail(_ entry: SegmentEntry) {
    guard let tail else { return }
    segments.update(tail) { if $0.identity == entry.identity { $0 = entry } }
  }

  // MARK: Segments

  /// Adds a segment that owns its slots.
  package mutating func adopt(_ entry: SegmentEntry) throws(Contradiction) {
    let identity = entry.identity
    // So that counting on, one for each record that is really there, cannot overflow.
    let unitCountMax = UInt64(identity.run.count) * Limits.slotUnitCount
    guard UInt64(entry.recordCount) <= unitCountMax / 2 else {
      throw Contradiction("a segment holds more records than it has room for")
    }
    if identity.kind == .window {
      guard window == nil else { throw Contradiction("a file has two windows") }
      guard Window.slotCounts.contains(identity.run.count) else {
        throw Contradiction("a window has another length than one can have")
      }
    }
    try occupy(identity)
    if identity.kind == .window { window = identity }
    segments.insert(entry)
  }

  /// Adds the extents of a large value.
  package mutating func adopt(_ place: ValuePlace) throws(Contradiction) {
    var adopted: [SegmentIdentity] = []
    for piece in place.pieces {
      do throws(Contradiction) {
        try adopt(SegmentEntry(withoutRecords: piece.extent))
        adopted.append(piece.extent)
      } catch {
        for extent in adopted { try? free(slot: extent.run.first, generation: extent.generation) }
        throw error
      }
    }
  }

  /// Removes a segment or the index part that lies there.
  package mutating func free(slot: UInt32, generation: Generation) throws(Contradiction) {
    guard generation != tail else { throw Contradiction("the segment that the log ends in is freed") }
    guard slots.remove(first: slot, generation) != nil else {
      throw Contradiction("a segment is freed that is not there")
    }
    segments.remove(generation)
    if window?.generation == generation { window = nil }
    if let part = partsByGeneration.removeValue(forKey: generation) {
      indexSlotCount -= part.segment.run.count
    }
  }

  private mutating func occupy(_ identity: SegmentIdentity) throws(Contradiction) {
    guard segments[identity.generation] == nil, partsByGeneration[identity.generation] == nil else {
      throw Contradiction("a generation is used twice")
    }
    guard slots.insert(identity.run, identity.generation) else {
      throw Contradiction("two segments share a slot")
    }
    guard let next = identity.generation.advanced(by: 1) else {
      throw Contradiction("a generation is beyond the limit")
    }
    numbers.nextGeneration = max(numbers.nextGeneration, next)
  }
}

extension Catalogue {
  /// Adds the part of a stored index, which owns the slots of its segment.
  package mutating func adopt(_ part: IndexPartEntry) throws(Contradiction) {
    try occupy(part.segment)
    partsByGeneration[part.segment.generation] = part
    indexSlotCount += part.segment.run.count
  }

  package mutating func add(_ entry: DictionaryEntry) throws(Contradiction) {
    guard dictionaries[entry.number] == nil else {
      throw Contradiction("a dictionary's number is used twice")
    }
    dictionaries[entry.number] = entry
    numbers.nextDictionary = max(numbers.nextDictionary, entry.number + 1)
  }

  package mutating func add(_ entry: CollectionEntry) throws(Contradiction) {
    guard collections[entry.number] == nil else {
      throw Contradiction("a collection's number is used twice")
    }
    if entry.number != 0 {
      guard !collections.contains(name: entry.name) else {
        throw Contradiction("a collection's name is used twice")
      }
      numbers.nextCollection = max(numbers.nextCollection, entry.number + 1)
    }
    collections.set(entry)
  }

  /// Makes the records of a collection up to `sequence` dead.
  package mutating func clear(_ number: UInt32, at sequence: SequenceNumber) throws(Contradiction) {
    let name = collections[number]?.name ?? []
    guard number == 0 || !name.isEmpty,
      let entry = CollectionEntry(number: number, clearedAt: sequence, name: name)
    else { throw Contradiction("a collection is cleared that is not there") }
    collections.set(entry)
  }

  package mutating func drop(_ number: UInt32) throws(Contradiction) {
    guard number != 0, collections.remove(number) != nil else {
      throw Contradiction("a collection is dropped that is not there")
    }
  }
}

// What checkpoints and catalogue changes say, taken into the catalogue and made from it.

extension Catalogue {
  /// Applies a change whose record has the sequence given: all of it, or it throws and is to be thrown away.
  package mutating func apply(
    _ change: CatalogueChange, at sequence: SequenceNumber
  ) throws(Contradiction) {
    for entry in change.entries { try apply(entry, at: sequence) }
  }

  private mutating func apply(_ entry: CatalogueEntry, at sequence: SequenceNumber) throws(Contradiction) {
    switch entry {
    case .numbers(let said): try take(said)
    case .segment(let entry):
      guard entry.identity.kind != .hot else { throw Contradiction("a hot segment is adopted") }
      try adopt(entry)
    case .freed(let slot, let generation): try free(slot: slot, generation: generation)
    case .collection(let entry):
      guard entry.number != 0, entry.number >= numbers.nextCollection, entry.clearedAt == sequence else {
        throw Contradiction("a new collection is not the next one")
      }
      try add(entry)
    case .collectionDropped(let number): try drop(number)
    case .collectionCleared(let number): try clear(number, at: sequence)
    case .everythingCleared: numbers.everythingClearedAt = max(numbers.everythingClearedAt, sequence)
    case .dictionary(let entry): try add(entry)
    case .dictionaryGone(let number):
      guard dictionaries.removeValue(forKey: number) != nil else {
        throw Contradiction("a dictionary ends that is not there")
      }
    case .indexPart(let part): try adopt(part)
    case .ignorable(let bytes): ignorable.append(bytes)
    }
  }

  /// Takes numbers that are said again; counters only rise.
  private mutating func take(_ said: StoreNumbers) throws(Contradiction) {
    guard said.nextCollection >= numbers.nextCollection, said.nextDictionary >= numbers.nextDictionary,
      said.nextGeneration >= numbers.nextGeneration
    else { throw Contradiction("the store's numbers go back") }
    numbers = said
  }

  /// Adds an entry of a checkpoint behind its numbers.
  package mutating func add(_ entry: CatalogueEntry) throws(Contradiction) {
    switch entry {
    case .segment(let entry):
      try adopt(entry)
      guard entry.identity.kind == .hot, entry.end == nil else { return }
      guard tail == nil else { throw Contradiction("a checkpoint has two segments that the log ends in") }
      tail = entry.identity.generation
    case .collection(let entry): try add(entry)
    case .dictionary, .indexPart, .ignorable: try apply(entry, at: .zero)
    case .numbers, .freed, .collectionDropped, .collectionCleared, .everythingCleared, .dictionaryGone:
      throw Contradiction("an entry does not belong into a checkpoint")
    }
  }

  /// The entries of a checkpoint that says the catalogue whole, the numbers first.
  package var checkpointEntries: [CatalogueEntry] {
    [.numbers(numbers)] + segments.map { .segment($0) }
      + collections.map { .collection($0) }
      + dictionaries.values.sorted { $0.number < $1.number }.map { .dictionary($0) }
      + indexParts.map { .indexPart($0) } + ignorable.map { .ignorable($0) }
  }
}
