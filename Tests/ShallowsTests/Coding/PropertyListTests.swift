import Foundation
import Shallows
import Testing

@Suite struct PropertyListTests {
  struct City: Codable, Equatable, Sendable {
    let name: String
    let founded: Date
  }

  private let data = MemoryStorage<String, Data>()
  private let kharkiv = City(name: "Kharkiv", founded: Date(timeIntervalSinceReferenceDate: -10_950_000_000))

  private func isBinary(_ key: String) -> Bool {
    data.storage[key]?.starts(with: Data("bplist".utf8)) ?? false
  }
  private func isXML(_ key: String) -> Bool { data.storage[key]?.starts(with: Data("<?xml".utf8)) ?? false }

  @Test func `Objects are set as property lists and retrieved from them`() throws {
    let cities = data.mapPlistObject(City.self).makeSyncStorage()
    try cities.set(kharkiv, forKey: "k")
    #expect(try PropertyListDecoder().decode(City.self, from: try #require(data.storage["k"])) == kharkiv)
    #expect(try cities.retrieve(forKey: "k") == kharkiv)
    let reading = data.asReadOnlyStorage().mapPlistObject(City.self).makeSyncStorage()
    #expect(try reading.retrieve(forKey: "k") == kharkiv)
  }

  @Test func `The encoder that is given is used`() throws {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .xml
    try data.mapPlistObject(City.self, encoder: encoder).makeSyncStorage().set(kharkiv, forKey: "both")
    try data.asWriteOnlyStorage().mapPlistObject(City.self, encoder: encoder).makeSyncStorage()
      .set(kharkiv, forKey: "out")
    #expect(isXML("both") && isXML("out"))
    #expect(try data.mapPlistObject(City.self).makeSyncStorage().retrieve(forKey: "out") == kharkiv)
  }

  @Test func `What cannot be decoded is told with its data and the decoder's error`() throws {
    data.storage["k"] = Data("no list".utf8)
    let error = try #require(throws: DecodingError<PropertyListDecoder>.self) {
      try data.mapPlistObject(City.self).makeSyncStorage().retrieve(forKey: "k")
    }
    #expect(error.originalData == Data("no list".utf8) && error.storageFailureKind == .cannotDecode)
    #expect(throws: DecodingError<PropertyListDecoder>.self) {
      try data.asReadOnlyStorage().mapPlistObject(City.self).makeSyncStorage().retrieve(forKey: "k")
    }
    let whole = try #require(throws: DecodingError<PropertyListSerialization>.self) {
      try data.mapPlist().makeSyncStorage().retrieve(forKey: "k")
    }
    #expect(whole.originalData == Data("no list".utf8))
    #expect(throws: DecodingError<PropertyListSerialization>.self) {
      try data.asReadOnlyStorage().mapPlistDictionary().makeSyncStorage().retrieve(forKey: "k")
    }
  }

  @Test func `Whole lists are set in the format that is given, and any is read`() throws {
    try data.mapPlist().makeSyncStorage().set(["a": [1, 2]], forKey: "xml")
    try data.mapPlist(format: .binary).makeSyncStorage().set(["a": [1, 2]], forKey: "binary")
    try data.asWriteOnlyStorage().mapPlist(format: .binary).makeSyncStorage().set([1], forKey: "out")
    #expect(isXML("xml") && isBinary("binary") && isBinary("out"))
    for key in ["xml", "binary"] {
      let list = try data.mapPlist().makeSyncStorage().retrieve(forKey: key) as? [String: Any]
      #expect(list?["a"] as? [Int] == [1, 2])
      let read =
        try data.asReadOnlyStorage().mapPlist().makeSyncStorage().retrieve(forKey: key) as? [String: Any]
      #expect(read?["a"] as? [Int] == [1, 2])
    }
  }

  @Test func `What property lists have no place for fails, and nothing is set`() {
    #expect(throws: EncodingError.self) {
      try data.mapPlist().makeSyncStorage().set(["a": kharkiv], forKey: "k")
    }
    #expect(throws: EncodingError.self) {
      try data.asWriteOnlyStorage().mapPlistDictionary().makeSyncStorage().set(["a": kharkiv], forKey: "k")
    }
    #expect(data.storage == [:])
  }

  @Test func `Dictionaries are those at the top level`() throws {
    let dictionaries = data.mapPlistDictionary(format: .binary).makeSyncStorage()
    try dictionaries.set(["year": 1654], forKey: "k")
    #expect(isBinary("k"))
    #expect(try dictionaries.retrieve(forKey: "k")["year"] as? Int == 1654)
    try data.asWriteOnlyStorage().mapPlistDictionary().makeSyncStorage().set(["year": 1], forKey: "w")
    let reading = data.asReadOnlyStorage().mapPlistDictionary().makeSyncStorage()
    #expect(isXML("w"))
    #expect(try reading.retrieve(forKey: "w")["year"] as? Int == 1)
    try data.mapPlist().makeSyncStorage().set([1], forKey: "list")
    #expect(throws: [String: Any]?.UnwrapError.self) { try dictionaries.retrieve(forKey: "list") }
    #expect(throws: [String: Any]?.UnwrapError.self) { try reading.retrieve(forKey: "list") }
  }
}
