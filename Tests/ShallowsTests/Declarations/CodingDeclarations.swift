import Foundation
import Shallows

enum CodingDeclarations {
  struct City: Codable { var name: String }
  typealias ReadingJSON = JSONSerialization.ReadingOptions
  typealias WritingJSON = JSONSerialization.WritingOptions
  typealias Format = PropertyListSerialization.PropertyListFormat
  typealias ReadingList = PropertyListSerialization.ReadOptions
  typealias WritingList = PropertyListSerialization.WriteOptions

  static func full<S: StorageProtocol>(_ storage: S) where S.Key == String, S.Value == Data {
    let json: (ReadingJSON, WritingJSON) -> Storage<String, Any> = storage.mapJSON(
      readingOptions:writingOptions:)
    let jsonDictionary: (ReadingJSON, WritingJSON) -> Storage<String, [String: Any]> =
      storage.mapJSONDictionary(readingOptions:writingOptions:)
    let jsonObject: (City.Type, JSONDecoder, JSONEncoder) -> Storage<String, City> = storage.mapJSONObject(
      _:decoder:encoder:)
    let list: (Format, ReadingList, WritingList) -> Storage<String, Any> = storage.mapPlist(
      format:readOptions:writeOptions:)
    let listDictionary: (Format, ReadingList, WritingList) -> Storage<String, [String: Any]> =
      storage.mapPlistDictionary(format:readOptions:writeOptions:)
    let listObject: (City.Type, PropertyListDecoder, PropertyListEncoder) -> Storage<String, City> =
      storage.mapPlistObject(_:decoder:encoder:)
    let text: (String.Encoding) -> Storage<String, String> = storage.mapString(withEncoding:)
    _ = (json, jsonDictionary, jsonObject, list, listDictionary, listObject, text)
  }

  static func fullByDefault<S: StorageProtocol>(_ storage: S) where S.Key == String, S.Value == Data {
    _ = storage.mapJSON() as Storage<String, Any>
    _ = storage.mapJSONDictionary() as Storage<String, [String: Any]>
    _ = storage.mapJSONObject(City.self) as Storage<String, City>
    _ = storage.mapJSONObject([City].self, encoder: JSONEncoder()) as Storage<String, [City]>
    _ = storage.mapPlist() as Storage<String, Any>
    _ = storage.mapPlist(format: .binary) as Storage<String, Any>
    _ = storage.mapPlistDictionary(format: .binary) as Storage<String, [String: Any]>
    _ = storage.mapPlistObject(City.self) as Storage<String, City>
    _ = storage.mapString() as Storage<String, String>
  }

  static func reading<S: ReadOnlyStorageProtocol>(_ storage: S) where S.Key == String, S.Value == Data {
    let json: (ReadingJSON) -> ReadOnlyStorage<String, Any> = storage.mapJSON(options:)
    let jsonDictionary: (ReadingJSON) -> ReadOnlyStorage<String, [String: Any]> =
      storage.mapJSONDictionary(options:)
    let jsonObject: (City.Type, JSONDecoder) -> ReadOnlyStorage<String, City> = storage.mapJSONObject(
      _:decoder:)
    let list: (Format, ReadingList) -> ReadOnlyStorage<String, Any> = storage.mapPlist(format:options:)
    let listDictionary: (Format, ReadingList) -> ReadOnlyStorage<String, [String: Any]> =
      storage.mapPlistDictionary(format:options:)
    let listObject: (City.Type, PropertyListDecoder) -> ReadOnlyStorage<String, City> =
      storage.mapPlistObject(_:decoder:)
    let text: (String.Encoding) -> ReadOnlyStorage<String, String> = storage.mapString(withEncoding:)
    _ = (json, jsonDictionary, jsonObject, list, listDictionary, listObject, text)
    _ = storage.mapJSON() as ReadOnlyStorage<String, Any>
    _ = storage.mapJSONDictionary() as ReadOnlyStorage<String, [String: Any]>
    _ = storage.mapJSONObject(City.self) as ReadOnlyStorage<String, City>
    _ = storage.mapPlist() as ReadOnlyStorage<String, Any>
    _ = storage.mapPlistDictionary() as ReadOnlyStorage<String, [String: Any]>
    _ = storage.mapPlistObject(City.self) as ReadOnlyStorage<String, City>
    _ = storage.mapString() as ReadOnlyStorage<String, String>
  }

  static func writing<S: WriteOnlyStorageProtocol>(_ storage: S) where S.Key == String, S.Value == Data {
    let json: (WritingJSON) -> WriteOnlyStorage<String, Any> = storage.mapJSON(options:)
    let jsonDictionary: (WritingJSON) -> WriteOnlyStorage<String, [String: Any]> =
      storage.mapJSONDictionary(options:)
    let jsonObject: (City.Type, JSONEncoder) -> WriteOnlyStorage<String, City> = storage.mapJSONObject(
      _:encoder:)
    let list: (Format, WritingList) -> WriteOnlyStorage<String, Any> = storage.mapPlist(format:options:)
    let listDictionary: (Format, WritingList) -> WriteOnlyStorage<String, [String: Any]> =
      storage.mapPlistDictionary(format:options:)
    let listObject: (City.Type, PropertyListEncoder) -> WriteOnlyStorage<String, City> =
      storage.mapPlistObject(_:encoder:)
    let text: (String.Encoding) -> WriteOnlyStorage<String, String> = storage.mapString(withEncoding:)
    _ = (json, jsonDictionary, jsonObject, list, listDictionary, listObject, text)
    _ = storage.mapJSON() as WriteOnlyStorage<String, Any>
    _ = storage.mapJSONDictionary() as WriteOnlyStorage<String, [String: Any]>
    _ = storage.mapJSONObject(City.self) as WriteOnlyStorage<String, City>
    _ = storage.mapPlist() as WriteOnlyStorage<String, Any>
    _ = storage.mapPlistDictionary() as WriteOnlyStorage<String, [String: Any]>
    _ = storage.mapPlistObject(City.self) as WriteOnlyStorage<String, City>
    _ = storage.mapString() as WriteOnlyStorage<String, String>
  }

  /// Types that only encode, or only decode, are enough for a half.
  static func halves(_ storage: Storage<String, Data>) {
    struct Sent: Encodable { var name: String }
    struct Received: Decodable { var name: String }
    _ = storage.asReadOnlyStorage().mapJSONObject(Received.self)
    _ = storage.asReadOnlyStorage().mapPlistObject(Received.self)
    _ = storage.asWriteOnlyStorage().mapJSONObject(Sent.self)
    _ = storage.asWriteOnlyStorage().mapPlistObject(Sent.self)
  }

  static func errors(_ error: any Error) {
    let data: WritableKeyPath<Shallows.DecodingError<JSONDecoder>, Data> = \.originalData
    let raw: WritableKeyPath<Shallows.DecodingError<JSONSerialization>, any Error> = \.rawError
    _ = (data, raw)
    if let error = error as? Shallows.DecodingError<PropertyListDecoder> { _ = error.originalData.count }
    if let error = error as? Shallows.DecodingError<PropertyListSerialization> { _ = error.rawError }
    let make: (Data) -> StringPrinted = StringPrinted.init(wrappedValue:)
    let wrapped: WritableKeyPath<StringPrinted, Data> = \.wrappedValue
    let text: String = make(Data()).description
    _ = (wrapped, text, make(Data()) as any CustomStringConvertible)
  }

  struct Printed {
    @StringPrinted var data: Data
  }
}
