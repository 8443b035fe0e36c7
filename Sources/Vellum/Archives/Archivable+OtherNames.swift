public import Foundation

// A class may write `archive()` and `deArchive(fromData:)` in place of the two requirements. Structs and enumerations
// may not: then one that writes nothing would compile as well, and fail only when it is recorded.

extension Archivable {
  /// What `archiveData()` gives.
  public func archive() throws -> Data { try archiveData() }

  /// What `decode(archive:)` gives.
  public static func deArchive(fromData data: Data) throws -> any Archivable { try decode(archive: data) }
}

extension Archivable where Self: AnyObject {
  /// What `archive()` gives.
  public func archiveData() throws -> Data { try archive() }

  /// What `deArchive(fromData:)` gives.
  public static func decode(archive data: Data) throws -> any Archivable { try deArchive(fromData: data) }

  /// Fails: the class has not written it.
  public func archive() throws -> Data {
    throw VellumError.missing(Self.self, method: "archiveData() or archive()")
  }

  /// Fails: the class has not written it.
  public static func deArchive(fromData data: Data) throws -> any Archivable {
    throw VellumError.missing(Self.self, method: "decode(archive:) or deArchive(fromData:)")
  }
}
