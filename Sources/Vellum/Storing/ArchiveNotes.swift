internal import Sediment

/// What a file knows of archives beside themselves, in a collection that is made with the first note.
struct ArchiveNotes: Sendable {
  /// No type's name has an asterisk, so no uses of a type are in it.
  private static let collectionName = "used:*"

  let store: SedimentStore

  /// The size that was asked for last for the disk part of a name; nil if none was.
  func size(of name: String) -> Int? { text("size:" + name).flatMap { Int($0) } }

  func setSize(_ byteCount: Int, of name: String) throws {
    if size(of: name) != byteCount { try set("\(byteCount)", "size:" + name) }
  }

  /// The `archiveName` of the type whose archives a name has that was made by an import; empty until a type has come for
  /// them.
  ///
  /// Nil for a name that was not made by an import, or belongs to the type of that name.
  func owner(of name: String) -> String? { text("owner:" + name) }

  /// Notes whose archives a name has; nil for the type of that name.
  func setOwner(_ owner: String?, of name: String) throws {
    if self.owner(of: name) != owner { try set(owner, "owner:" + name) }
  }

  private func text(_ key: String) -> String? {
    // A note that cannot be read is none: archives are found, and sizes bounded, without it.
    guard store.collectionNames.contains(Self.collectionName) else { return nil }
    return try? store.collection(Self.collectionName).retrieve(forKey: key, as: String.self)
  }

  private func set(_ text: String?, _ key: String) throws {
    let notes = try store.collection(Self.collectionName)
    if let text { try notes.set(text, forKey: key) } else { try notes.remove(forKey: key) }
  }
}
