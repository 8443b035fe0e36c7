public import Foundation

// Never changed once they are made, so all threads may use them.
private let encoder = JSONEncoder()
private let decoder = JSONDecoder()

extension Archivable where Self: Decodable, Self: Encodable {
  /// What `archive()` gives, which is JSON unless the type says otherwise.
  public func archiveData() throws -> Data { try archive() }

  /// It as JSON.
  public func archive() throws -> Data { try encoder.encode(self) }

  /// The object that was turned into this JSON.
  public static func decode(codableArchive data: Data) throws -> Self {
    try decoder.decode(Self.self, from: data)
  }

  /// What `deArchive(fromData:)` gives, which reads JSON unless the type says otherwise.
  public static func decode(archive data: Data) throws -> any Archivable { try deArchive(fromData: data) }

  /// The object that was turned into this JSON.
  public static func deArchive(fromData data: Data) throws -> any Archivable {
    try decode(codableArchive: data)
  }
}
