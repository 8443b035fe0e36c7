public import Foundation

extension StorageProtocol where Value == Data {
  /// What JSON stands for: dictionaries, arrays, strings, numbers.
  public func mapJSON(
    readingOptions: JSONSerialization.ReadingOptions = [],
    writingOptions: JSONSerialization.WritingOptions = []
  ) -> Storage<Key, Any> {
    mapValues(
      transformIn: jsonDecoding(readingOptions), transformOut: { try json(of: $0, writingOptions) })
  }

  /// The dictionary that JSON stands for; `Optional.UnwrapError` if it is none.
  public func mapJSONDictionary(
    readingOptions: JSONSerialization.ReadingOptions = [],
    writingOptions: JSONSerialization.WritingOptions = []
  ) -> Storage<Key, [String: Any]> {
    mapJSON(readingOptions: readingOptions, writingOptions: writingOptions)
      .mapValues(transformIn: dictionary, transformOut: { $0 })
  }

  /// Values of a type, as JSON.
  ///
  /// Data that the decoder cannot make a value of fails with `DecodingError<JSONDecoder>`, which has the data. Decoder
  /// and encoder are used by all threads that call, so nobody may change them afterwards.
  @inlinable
  public func mapJSONObject<JSONObject: Codable>(
    _ objectType: JSONObject.Type, decoder: JSONDecoder = JSONDecoder(), encoder: JSONEncoder = JSONEncoder()
  ) -> Storage<Key, JSONObject> {
    mapValues(
      transformIn: decoding(by: JSONDecoder.self) { try decoder.decode(JSONObject.self, from: $0) },
      transformOut: { try encoder.encode($0) })
  }
}

extension ReadOnlyStorageProtocol where Value == Data {
  /// What JSON stands for: dictionaries, arrays, strings, numbers.
  public func mapJSON(options: JSONSerialization.ReadingOptions = []) -> ReadOnlyStorage<Key, Any> {
    mapValues(jsonDecoding(options))
  }

  /// The dictionary that JSON stands for; `Optional.UnwrapError` if it is none.
  public func mapJSONDictionary(
    options: JSONSerialization.ReadingOptions = []
  ) -> ReadOnlyStorage<Key, [String: Any]> {
    mapJSON(options: options).mapValues(dictionary)
  }

  /// Values of a type, from JSON; data that is none of the type fails with `DecodingError<JSONDecoder>`.
  @inlinable
  public func mapJSONObject<JSONObject: Decodable>(
    _ objectType: JSONObject.Type, decoder: JSONDecoder = JSONDecoder()
  ) -> ReadOnlyStorage<Key, JSONObject> {
    mapValues(decoding(by: JSONDecoder.self) { try decoder.decode(JSONObject.self, from: $0) })
  }
}

extension WriteOnlyStorageProtocol where Value == Data {
  /// What JSON stands for: dictionaries, arrays, strings, numbers.
  public func mapJSON(options: JSONSerialization.WritingOptions = []) -> WriteOnlyStorage<Key, Any> {
    mapValues { try json(of: $0, options) }
  }

  /// Dictionaries, as JSON.
  public func mapJSONDictionary(
    options: JSONSerialization.WritingOptions = []
  ) -> WriteOnlyStorage<Key, [String: Any]> {
    mapJSON(options: options).mapValues { $0 }
  }

  /// Values of a type, as JSON.
  @inlinable
  public func mapJSONObject<JSONObject: Encodable>(
    _ objectType: JSONObject.Type, encoder: JSONEncoder = JSONEncoder()
  ) -> WriteOnlyStorage<Key, JSONObject> {
    mapValues { try encoder.encode($0) }
  }
}

private func jsonDecoding(_ options: JSONSerialization.ReadingOptions) -> (Data) throws -> Any {
  decoding(by: JSONSerialization.self) { try JSONSerialization.jsonObject(with: $0, options: options) }
}
