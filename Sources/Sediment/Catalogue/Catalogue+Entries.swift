package import SedimentFormat

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
    case .dictionaryGone(let number): try removeDictionary(number)
    case .indexPart(let part): try adopt(part)
    case .ignorable(let bytes): add(ignorable: bytes)
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
    let ordered = segments.values.sorted { $0.identity.generation < $1.identity.generation }
    return [.numbers(numbers)] + ordered.map { .segment($0) }
      + collections.values.sorted { $0.number < $1.number }.map { .collection($0) }
      + dictionaries.values.sorted { $0.number < $1.number }.map { .dictionary($0) }
      + indexParts.map { .indexPart($0) } + ignorable.map { .ignorable($0) }
  }
}
