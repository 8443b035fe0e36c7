public import Foundation

// Never changed once they are made, so all threads may use them.
private let encoder = JSONEncoder()
private let decoder = JSONDecoder()

extension Archivable where Self: Decodable, Self: Encodable {
  /// It as JSON.
  public func archiveData() throws -> Data { try encoder.encode(self) }

  /// The object that was turned into this JSON.
  public static func decode(codableArchive data: Data) throws -> Self {
    try decoder.decode(Self.self, from: data)
  }

  /// The object that was turned into this JSON.
  public static func decode(archive data: Data) throws -> any Archivable { try decode(codableArchive: data) }
}

// The same again: of a class that is `Codable`, the compiler would not know whether this counts or what stands in
// Archivable+OtherNames.swift.
extension Archivable where Self: AnyObject, Self: Decodable, Self: Encodable {
  /// It as JSON.
  public func archiveData() throws -> Data { try encoder.encode(self) }

  /// The object that was turned into this JSON.
  public static func decode(archive data: Data) throws -> any Archivable { try decode(codableArchive: data) }

  /// What `archiveData()` gives.
  public func archive() throws -> Data { try archiveData() }

  /// What `decode(archive:)` gives.
  public static func deArchive(fromData data: Data) throws -> any Archivable { try decode(archive: data) }
}
