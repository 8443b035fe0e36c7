import Foundation
import Shallows
import Testing

@Suite struct JSONTests {
  struct City: Codable, Equatable, Sendable {
    let name: String
    let foundationYear: Int
  }

  private let data = MemoryStorage<String, Data>()
  private let kharkiv = City(name: "Kharkiv", foundationYear: 1654)

  @Test func `Objects are set as JSON and retrieved from it`() throws {
    let cities = data.mapJSONObject(City.self).makeSyncStorage()
    try cities.set(kharkiv, forKey: "k")
    #expect(try JSONDecoder().decode(City.self, from: try #require(data.storage["k"])) == kharkiv)
    #expect(try cities.retrieve(forKey: "k") == kharkiv)
    #expect(
      try data.asReadOnlyStorage().mapJSONObject(City.self).makeSyncStorage().retrieve(forKey: "k") == kharkiv
    )
    try data.asWriteOnlyStorage().mapJSONObject(City.self).makeSyncStorage().set(kharkiv, forKey: "w")
    #expect(try cities.retrieve(forKey: "w") == kharkiv)
  }

  @Test func `The coders that are given are used`() throws {
    let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
    encoder.keyEncodingStrategy = .convertToSnakeCase
    encoder.outputFormatting = .sortedKeys
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let text = #"{"foundation_year":1654,"name":"Kharkiv"}"#
    let both = data.mapJSONObject(City.self, decoder: decoder, encoder: encoder).makeSyncStorage()
    try both.set(kharkiv, forKey: "both")
    try data.asWriteOnlyStorage().mapJSONObject(City.self, encoder: encoder).makeSyncStorage()
      .set(kharkiv, forKey: "out")
    #expect(data.storage == ["both": Data(text.utf8), "out": Data(text.utf8)])
    #expect(try both.retrieve(forKey: "both") == kharkiv)
    let reading = data.asReadOnlyStorage().mapJSONObject(City.self, decoder: decoder).makeSyncStorage()
    #expect(try reading.retrieve(forKey: "out") == kharkiv)
  }

  @Test func `What cannot be decoded is told with its data and the decoder's error`() throws {
    data.storage["k"] = Data(#"{"name": "Kharkiv"}"#.utf8)
    for retrieve in [
      data.mapJSONObject(City.self).makeSyncStorage().retrieve,
      data.asReadOnlyStorage().mapJSONObject(City.self).makeSyncStorage().retrieve,
    ] {
      let error = try #require(throws: DecodingError<JSONDecoder>.self) { try retrieve("k") }
      #expect(error.originalData == data.storage["k"])
      guard case Swift.DecodingError.keyNotFound(let key, _)? = error.rawError as? Swift.DecodingError else {
        Issue.record("\(error.rawError)")
        continue
      }
      #expect(key.stringValue == "foundationYear")
      #expect(error.storageFailureKind == .cannotDecode && !error.isNoValue)
      #expect("\(error)".contains(#"{"name": "Kharkiv"}"#))
    }
  }

  @Test func `A missing value stays one`() throws {
    let error = try #require(throws: (any Error).self) {
      try data.mapJSONObject(City.self).makeSyncStorage().retrieve(forKey: "nowhere")
    }
    #expect(error.isNoValue)
  }

  @Test func `What cannot be encoded fails, and nothing is set`() {
    let numbers = data.mapJSONObject([Double].self).makeSyncStorage()
    #expect(throws: EncodingError.self) { try numbers.set([.nan], forKey: "k") }
    #expect(data.storage == [:])
  }

  @Test func `Whole documents are arrays and dictionaries`() throws {
    let documents = data.mapJSON().makeSyncStorage()
    try documents.set(["a": [1, 2]], forKey: "k")
    #expect(data.storage["k"] == Data(#"{"a":[1,2]}"#.utf8))
    let dictionary = try documents.retrieve(forKey: "k") as? [String: Any]
    #expect(dictionary?["a"] as? [Int] == [1, 2])
    let read =
      try data.asReadOnlyStorage().mapJSON().makeSyncStorage().retrieve(forKey: "k") as? [String: Any]
    #expect(read?.keys.sorted() == ["a"])
    try data.asWriteOnlyStorage().mapJSON(options: .sortedKeys).makeSyncStorage().set(
      ["b": 1, "a": 2], forKey: "w")
    #expect(data.storage["w"] == Data(#"{"a":2,"b":1}"#.utf8))
  }

  @Test func `The options that are given are used`() throws {
    data.storage["five"] = Data("5".utf8)
    let strict = data.mapJSON().makeSyncStorage()
    let error = try #require(throws: DecodingError<JSONSerialization>.self) {
      try strict.retrieve(forKey: "five")
    }
    #expect(error.originalData == Data("5".utf8) && error.storageFailureKind == .cannotDecode)
    let lax = data.mapJSON(readingOptions: .fragmentsAllowed, writingOptions: .fragmentsAllowed)
      .makeSyncStorage()
    #expect(try lax.retrieve(forKey: "five") as? Int == 5)
    try lax.set("text", forKey: "text")
    #expect(data.storage["text"] == Data(#""text""#.utf8))
    let reading = data.asReadOnlyStorage().mapJSON(options: .fragmentsAllowed).makeSyncStorage()
    #expect(try reading.retrieve(forKey: "five") as? Int == 5)
  }

  @Test func `What JSON has no place for fails, and nothing is set`() {
    let documents = data.mapJSON().makeSyncStorage()
    #expect(throws: EncodingError.self) { try documents.set(["a": Date()], forKey: "k") }
    #expect(throws: EncodingError.self) { try documents.set(5, forKey: "k") }
    #expect(throws: EncodingError.self) { try documents.set(kharkiv, forKey: "k") }
    #expect(throws: EncodingError.self) {
      try data.mapJSON(writingOptions: .fragmentsAllowed).makeSyncStorage().set(Date(), forKey: "k")
    }
    #expect(throws: EncodingError.self) {
      try data.asWriteOnlyStorage().mapJSONDictionary().makeSyncStorage().set(["a": Double.nan], forKey: "k")
    }
    #expect(data.storage == [:])
  }

  @Test func `Dictionaries are those at the top level`() throws {
    let dictionaries = data.mapJSONDictionary().makeSyncStorage()
    try dictionaries.set(["year": 1654], forKey: "k")
    #expect(data.storage["k"] == Data(#"{"year":1654}"#.utf8))
    #expect(try dictionaries.retrieve(forKey: "k")["year"] as? Int == 1654)
    data.storage["list"] = Data("[1]".utf8)
    #expect(throws: [String: Any]?.UnwrapError.self) { try dictionaries.retrieve(forKey: "list") }
    let reading = data.asReadOnlyStorage().mapJSONDictionary().makeSyncStorage()
    #expect(try reading.retrieve(forKey: "k")["year"] as? Int == 1654)
    #expect(throws: [String: Any]?.UnwrapError.self) { try reading.retrieve(forKey: "list") }
    data.storage["bad"] = Data("{".utf8)
    #expect(throws: DecodingError<JSONSerialization>.self) { try dictionaries.retrieve(forKey: "bad") }
  }

  @Test func `One storage codes for many threads at once`() throws {
    let cities = data.mapJSONObject([City].self)
    let values = (0..<100).map { number in [City(name: "\(number)", foundationYear: number)] }
    DispatchQueue.concurrentPerform(iterations: values.count) { number in
      cities.set(values[number], forKey: "\(number)") { _ in }
      _ = try? cities.makeSyncStorage().retrieve(forKey: "\(number)")
    }
    let sync = cities.makeSyncStorage()
    for (number, value) in values.enumerated() { #expect(try sync.retrieve(forKey: "\(number)") == value) }
  }
}
