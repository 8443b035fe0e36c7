internal import SedimentFormat

/// What is known of the collections of a file that is salvaged: their names, and up to where they are dead.
struct SalvageCollections {
  private var names: [UInt32: [UInt8]] = [:]
  private var clearedAt: [UInt32: SequenceNumber] = [:]
  private var dropped: Set<UInt32> = []
  private var everythingClearedAt = SequenceNumber.zero
  /// Those below it that are not known are no more.
  private let nextUnknown: UInt32

  init(_ catalogue: Catalogue?) {
    nextUnknown = catalogue?.numbers.nextCollection ?? 1
    guard let catalogue else { return }
    everythingClearedAt = catalogue.numbers.everythingClearedAt
    for entry in catalogue.collections.values {
      if entry.number != 0 { names[entry.number] = entry.name }
      clearedAt[entry.number] = entry.clearedAt
    }
  }

  /// Takes what the log says behind the catalogue.
  mutating func take(_ entry: CatalogueEntry, at sequence: SequenceNumber) {
    switch entry {
    case .numbers(let numbers):
      everythingClearedAt = max(everythingClearedAt, numbers.everythingClearedAt)
    case .collection(let entry):
      if entry.number != 0 { names[entry.number] = entry.name }
      clear(entry.number, at: entry.clearedAt)
    case .collectionCleared(let number): clear(number, at: sequence)
    case .collectionDropped(let number): dropped.insert(number)
    case .everythingCleared: everythingClearedAt = max(everythingClearedAt, sequence)
    default: break
    }
  }

  private mutating func clear(_ number: UInt32, at sequence: SequenceNumber) {
    clearedAt[number] = max(clearedAt[number] ?? .zero, sequence)
  }

  /// Whether a record of a collection is dead, by a clearing or because the collection is no more.
  func isDead(_ collection: UInt32, _ sequence: SequenceNumber) -> Bool {
    // Of the system's own only dictionaries are of use.
    if collection == CollectionEntry.dictionaries { return false }
    if collection >= CollectionEntry.systemNumberMin || dropped.contains(collection) { return true }
    if collection != 0, names[collection] == nil, collection < nextUnknown { return true }
    return sequence <= max(clearedAt[collection] ?? .zero, everythingClearedAt)
  }

  /// The names of those that are there.
  var known: [(number: UInt32, name: String)] {
    names.filter { !dropped.contains($0.key) }.sorted { $0.key < $1.key }
      .map { ($0.key, String(decoding: $0.value, as: UTF8.self)) }
  }
}
