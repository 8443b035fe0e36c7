public import Foundation

extension StorageProtocol where Value == Data {
  /// Text in an encoding; `Optional.UnwrapError` for data that is none, or text that the encoding has no place for.
  @inlinable
  public func mapString(withEncoding encoding: String.Encoding = .utf8) -> Storage<Key, String> {
    mapValues(
      transformIn: { try String(data: $0, encoding: encoding).unwrap() },
      transformOut: { try $0.data(using: encoding).unwrap() })
  }
}

extension ReadOnlyStorageProtocol where Value == Data {
  /// Text in an encoding; `Optional.UnwrapError` for data that is none.
  @inlinable
  public func mapString(withEncoding encoding: String.Encoding = .utf8) -> ReadOnlyStorage<Key, String> {
    mapValues { try String(data: $0, encoding: encoding).unwrap() }
  }
}

extension WriteOnlyStorageProtocol where Value == Data {
  /// Text in an encoding; `Optional.UnwrapError` for text that the encoding has no place for.
  @inlinable
  public func mapString(withEncoding encoding: String.Encoding = .utf8) -> WriteOnlyStorage<Key, String> {
    mapValues { try $0.data(using: encoding).unwrap() }
  }
}
