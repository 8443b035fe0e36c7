import Foundation
import Shallows
import Testing

@Suite struct StringTests {
  private let data = MemoryStorage<String, Data>()

  @Test func `Text is its bytes in UTF-8 unless another encoding is given`() throws {
    try data.mapString().makeSyncStorage().set("é", forKey: "utf8")
    try data.mapString(withEncoding: .isoLatin1).makeSyncStorage().set("é", forKey: "latin")
    try data.asWriteOnlyStorage().mapString(withEncoding: .utf16LittleEndian).makeSyncStorage().set(
      "é", forKey: "utf16")
    #expect(data.storage == ["utf8": Data([0xC3, 0xA9]), "latin": Data([0xE9]), "utf16": Data([0xE9, 0])])
    #expect(try data.mapString(withEncoding: .isoLatin1).makeSyncStorage().retrieve(forKey: "latin") == "é")
    #expect(try data.asReadOnlyStorage().mapString().makeSyncStorage().retrieve(forKey: "utf8") == "é")
  }

  @Test func `What is no text in the encoding, or has no place in it, fails`() throws {
    data.storage["bad"] = Data([0xFF])
    #expect(throws: String?.UnwrapError.self) {
      try data.mapString().makeSyncStorage().retrieve(forKey: "bad")
    }
    #expect(throws: String?.UnwrapError.self) {
      try data.asReadOnlyStorage().mapString().makeSyncStorage().retrieve(forKey: "bad")
    }
    #expect(throws: Data?.UnwrapError.self) {
      try data.mapString(withEncoding: .ascii).makeSyncStorage().set("é", forKey: "a")
    }
    #expect(throws: Data?.UnwrapError.self) {
      try data.asWriteOnlyStorage().mapString(withEncoding: .ascii).makeSyncStorage().set("é", forKey: "a")
    }
    #expect(data.storage.keys.sorted() == ["bad"])
  }

  @Test func `Data in errors is printed as the text it is`() {
    #expect(StringPrinted(wrappedValue: Data("{}".utf8)).description == "{}")
    #expect(StringPrinted(wrappedValue: Data([0xFF, 0])).description == "2 bytes that are no text")
    var error = DecodingError<JSONDecoder>(originalData: Data(), rawError: StorageError.noValue)
    error.originalData = Data("x".utf8)
    #expect(error.originalData == Data("x".utf8) && error.rawError as? StorageError == .noValue)
  }
}
