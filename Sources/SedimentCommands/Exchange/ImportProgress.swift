internal import Sediment

/// How far an import has come, as the store itself remembers it until the import is done.
///
/// It is written behind the entries that it counts, and what survives of a log is always its beginning: so where it is
/// found, they are there, too.
struct ImportProgress: Equatable {
  /// The bytes of the source that were taken.
  var position: UInt64 = 0
  /// Their checksum, by which another source of the same name is told.
  var checksum: UInt32 = 0
  var entryCount: UInt64 = 0
  var lineCount: UInt64 = 0

  /// The collection that holds it.
  static let collectionName = "sediment:import"

  /// What is known of an import from a source of that name; nil if none was left unfinished.
  static func of(_ source: String, in store: SedimentStore) throws -> ImportProgress? {
    guard store.collectionNames.contains(collectionName) else { return nil }
    let text = try store.collection(collectionName).retrieve(forKey: source, as: String.self)
    return text.flatMap { ImportProgress($0) }
  }

  /// Remembers it.
  func write(for source: String, in store: SedimentStore) throws {
    let text = [position, UInt64(checksum), entryCount, lineCount].map { "\($0)" }.joined(separator: " ")
    try store.collection(Self.collectionName).set(text, forKey: source)
  }

  /// Forgets what is known of a source.
  static func forget(_ source: String, in store: SedimentStore) throws {
    guard store.collectionNames.contains(collectionName) else { return }
    let collection = try store.collection(collectionName)
    try collection.remove(forKey: source)
    if try collection.count() == 0 { try store.dropCollection(collectionName) }
  }
}

extension ImportProgress {
  private init?(_ text: String) {
    let numbers = text.split(separator: " ").compactMap { UInt64($0) }
    guard numbers.count == 4, let checksum = UInt32(exactly: numbers[1]) else { return nil }
    self.init(position: numbers[0], checksum: checksum, entryCount: numbers[2], lineCount: numbers[3])
  }
}
