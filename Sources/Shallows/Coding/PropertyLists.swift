public import Foundation

extension StorageProtocol where Value == Data {
  /// What a property list stands for: dictionaries, arrays, strings, numbers, dates, data.
  ///
  /// Values are set in the format; any is read.
  public func mapPlist(
    format: PropertyListSerialization.PropertyListFormat = .xml,
    readOptions: PropertyListSerialization.ReadOptions = [],
    writeOptions: PropertyListSerialization.WriteOptions = 0
  ) -> Storage<Key, Any> {
    mapValues(
      transformIn: plistDecoding(readOptions), transformOut: { try plist(of: $0, format, writeOptions) })
  }

  /// The dictionary that a property list stands for; `Optional.UnwrapError` if it is none.
  public func mapPlistDictionary(
    format: PropertyListSerialization.PropertyListFormat = .xml,
    readOptions: PropertyListSerialization.ReadOptions = [],
    writeOptions: PropertyListSerialization.WriteOptions = 0
  ) -> Storage<Key, [String: Any]> {
    mapPlist(format: format, readOptions: readOptions, writeOptions: writeOptions)
      .mapValues(transformIn: dictionary, transformOut: { $0 })
  }

  /// Values of a type, as property lists.
  @inlinable
  public func mapPlistObject<PlistObject: Codable>(
    _ objectType: PlistObject.Type, decoder: PropertyListDecoder = PropertyListDecoder(),
    encoder: PropertyListEncoder = PropertyListEncoder()
  ) -> Storage<Key, PlistObject> {
    mapValues(
      transformIn: decoding(by: PropertyListDecoder.self) { try decoder.decode(PlistObject.self, from: $0) },
      transformOut: { try encoder.encode($0) })
  }
}

extension ReadOnlyStorageProtocol where Value == Data {
  /// What a property list stands for: dictionaries, arrays, strings, numbers, dates, data.
  ///
  /// Any format is read, whichever is given.
  public func mapPlist(
    format: PropertyListSerialization.PropertyListFormat = .xml,
    options: PropertyListSerialization.ReadOptions = []
  ) -> ReadOnlyStorage<Key, Any> {
    mapValues(plistDecoding(options))
  }

  /// The dictionary that a property list stands for; `Optional.UnwrapError` if it is none.
  public func mapPlistDictionary(
    format: PropertyListSerialization.PropertyListFormat = .xml,
    options: PropertyListSerialization.ReadOptions = []
  ) -> ReadOnlyStorage<Key, [String: Any]> {
    mapPlist(format: format, options: options).mapValues(dictionary)
  }

  /// Values of a type, from property lists; data that is none of the type fails with a `DecodingError`, which has it.
  @inlinable
  public func mapPlistObject<PlistObject: Decodable>(
    _ objectType: PlistObject.Type, decoder: PropertyListDecoder = PropertyListDecoder()
  ) -> ReadOnlyStorage<Key, PlistObject> {
    mapValues(decoding(by: PropertyListDecoder.self) { try decoder.decode(PlistObject.self, from: $0) })
  }
}

extension WriteOnlyStorageProtocol where Value == Data {
  /// What a property list stands for: dictionaries, arrays, strings, numbers, dates, data.
  public func mapPlist(
    format: PropertyListSerialization.PropertyListFormat = .xml,
    options: PropertyListSerialization.WriteOptions = 0
  ) -> WriteOnlyStorage<Key, Any> {
    mapValues { try plist(of: $0, format, options) }
  }

  /// Dictionaries, as property lists.
  public func mapPlistDictionary(
    format: PropertyListSerialization.PropertyListFormat = .xml,
    options: PropertyListSerialization.WriteOptions = 0
  ) -> WriteOnlyStorage<Key, [String: Any]> {
    mapPlist(format: format, options: options).mapValues { $0 }
  }

  /// Values of a type, as property lists.
  @inlinable
  public func mapPlistObject<PlistObject: Encodable>(
    _ objectType: PlistObject.Type, encoder: PropertyListEncoder = PropertyListEncoder()
  ) -> WriteOnlyStorage<Key, PlistObject> {
    mapValues { try encoder.encode($0) }
  }
}

private func plistDecoding(_ options: PropertyListSerialization.ReadOptions) -> (Data) throws -> Any {
  decoding(by: PropertyListSerialization.self) { data in
    try unsafe PropertyListSerialization.propertyList(from: data, options: options, format: nil)
  }
}
