public import Foundation

/// An object with a primary key that turns into data and back.
///
/// A type writes `archiveData()` and `decode(archive:)`. One that is `Codable` has to write none of them: it becomes
/// JSON, whatever other methods it has. A class that is not may write `archive()` and `deArchive(fromData:)` instead,
/// which are the same by other names.
public protocol Archivable {
  /// What the archives of this type are called in the file: the type's name in snake case unless it says otherwise.
  ///
  /// No two types of a program may have the same.
  static var archiveName: String { get }
  /// What is done with properties that are archivable themselves, when an object is recorded: they are recorded if
  /// there is no archive with their key yet, unless the type says otherwise.
  static var archivePropertyBehavior: ArchivePropertyBehavior { get }
  /// What tells it from others of its type.
  var primaryKey: String { get }
  /// What it counts in the memory part: the number of bytes of its data unless the type says otherwise.
  var sizeOfData: DataSize { get }
  /// Its data.
  func archiveData() throws -> Data
  /// The object that was turned into this data.
  static func decode(archive data: Data) throws -> any Archivable
  /// Its data; another name of `archiveData()`, which classes may write instead.
  func archive() throws -> Data
  /// The object that was turned into this data; another name of `decode(archive:)`, which classes may write instead.
  static func deArchive(fromData data: Data) throws -> any Archivable
}

/// An archive that turns into JSON and back by itself.
public typealias ArchiveCodable = Archivable & Codable

/// What is done with an object's archivable properties when it is recorded.
public enum ArchivePropertyBehavior: Sendable {
  /// They are recorded as archives of their own, in place of what is there.
  case replaceExisting
  /// They are recorded as archives of their own if there is none with their key yet.
  case insertIfNotPresent
  /// Nothing.
  case ignore
}

extension Archivable {
  /// The type's name in snake case.
  public static var archiveName: String { snakeCase(String(describing: Self.self)) }

  /// Properties are recorded if there is no archive with their key yet.
  public static var archivePropertyBehavior: ArchivePropertyBehavior { .insertIfNotPresent }

  /// The number of bytes of its data; zero if it has none.
  public var sizeOfData: DataSize {
    if let known = EncodedSize.current, known.isOf(Self.self, key: primaryKey) {
      return .bytes(known.byteCount)
    }
    return (try? archiveData().dataSize) ?? .zero
  }
}
