import Foundation
import Shallows
import Testing

private struct Note: Codable, Equatable {
  var text: String
  var tags: [String]
}

@Suite struct RestartScenarios {
  private let scratch = Scratch()

  @Test(arguments: Place.all)
  func `What one run of a program has set is what the next one finds`(_ place: Place) throws {
    let note = Note(text: "buy milk", tags: ["home", "\u{E9}t\u{E9}"])
    do {
      let notes = place.open(scratch.url).mapJSONObject(Note.self).usingStringKeys().makeSyncStorage()
      try notes.set(note, forKey: "first")
      try notes.set(note, forKey: "a/b c+d")
      try notes.set(Note(text: "", tags: []), forKey: "first")
    }
    let notes = place.open(scratch.url).mapJSONObject(Note.self).usingStringKeys().makeSyncStorage()
    #expect(try notes.retrieve(forKey: "first") == Note(text: "", tags: []))
    #expect(try notes.retrieve(forKey: "a/b c+d") == note)
    #expect(throws: (any Error).self) { try notes.retrieve(forKey: "second") }
  }

  @Test(arguments: Place.all)
  func `Data of no bytes, and of many, comes back after a restart`(_ place: Place) throws {
    let sizes = [0, 1, 4_096, 3_000_000]
    for size in sizes {
      try place.open(scratch.url).makeSyncStorage().set(
        Data(repeating: 7, count: size), forKey: Filename(rawValue: "\(size)"))
    }
    for size in sizes {
      let found = try place.open(scratch.url).makeSyncStorage().retrieve(
        forKey: Filename(rawValue: "\(size)"))
      #expect(found == Data(repeating: 7, count: size))
    }
  }

  @Test(arguments: Place.all)
  func `A memory in front is empty after a restart, and is filled from the disk`(_ place: Place) throws {
    do {
      let both = MemoryStorage<String, String>().combined(with: texts(place)).makeSyncStorage()
      try both.set("Lviv", forKey: "city")
    }
    let memory = MemoryStorage<String, String>()
    let both = memory.combined(with: texts(place)).makeSyncStorage()
    #expect(memory.storage == [:])
    #expect(try both.retrieve(forKey: "city") == "Lviv")
    #expect(memory.storage == ["city": "Lviv"])
  }

  private func texts(_ place: Place) -> Storage<String, String> {
    place.open(scratch.url).mapString().usingStringKeys()
  }

  @Test(arguments: Place.all)
  func `A value of an older version of the program fails to decode, and can be replaced`(_ place: Place)
    throws
  {
    try place.open(scratch.url).makeSyncStorage().set(Data(#"{"text":"old"}"#.utf8), forKey: "note")
    let notes = place.open(scratch.url).mapJSONObject(Note.self)
    let error = result { notes.retrieve(forKey: "note", completion: $0) }.error
    let decoding = try #require(error as? Shallows.DecodingError<JSONDecoder>)
    #expect(
      decoding.originalData == Data(#"{"text":"old"}"#.utf8) && decoding.rawError is Swift.DecodingError)
    let note = Note(text: "new", tags: [])
    let safe = notes.fallback { _ in note }.makeSyncStorage()
    #expect(try safe.retrieve(forKey: "note") == note)
    try safe.set(note, forKey: "note")
    #expect(try notes.makeSyncStorage().retrieve(forKey: "note") == note)
  }

  @Test func `A folder has a file for each key, named by the encoder`() throws {
    let keys: [Filename] = ["plain", "\u{E9}t\u{E9}", "a+b", "subject?>", "\u{1F600}"]
    let encoders: [(Filename.Encoder, [String])] = [
      (.noEncoding, keys.map(\.rawValue)),
      (.base64URL, ["cGxhaW4=", "w6l0w6k=", "YSti", "c3ViamVjdD8-", "8J-YgA=="]),
      (.custom { "\($0.rawValue.unicodeScalars.count).txt" }, ["5.txt", "3.txt", "3.txt", "9.txt", "1.txt"]),
    ]
    for (encoder, names) in encoders {
      let folder = DiskFolderStorage(
        folderURL: scratch.url.appendingPathComponent(UUID().uuidString), filenameEncoder: encoder)
      for key in keys { try folder.makeSyncStorage().set(Data(key.rawValue.utf8), forKey: key) }
      let files = try FileManager.default.contentsOfDirectory(atPath: folder.folderURL.path)
      #expect(Set(files) == Set(names))
      #expect(folder.fileURL(forFilename: keys[0]).lastPathComponent == names[0])
      let last = try #require(keys.last)
      let data = try Data(contentsOf: folder.folderURL.appendingPathComponent(names[4]))
      #expect(data == Data(last.rawValue.utf8))
    }
  }

  @Test func `A folder with Base64 and no say in it has directories for slashes`() throws {
    let folder = DiskFolderStorage(folderURL: scratch.url)
    try folder.makeSyncStorage().set(Data("x".utf8), forKey: "subject?")
    let name = Filename(rawValue: "subject?").base64Encoded()
    #expect(name == "c3ViamVjdD8=")
    #expect(try Data(contentsOf: scratch.url.appendingPathComponent(name)) == Data("x".utf8))
    try folder.makeSyncStorage().set(Data("y".utf8), forKey: "???")
    #expect(try Data(contentsOf: scratch.url.appendingPathComponent("Pz8/")) == Data("y".utf8))
    #expect(try folder.makeSyncStorage().retrieve(forKey: "???") == Data("y".utf8))
  }

  @Test func `Files that something else wrote are values, and files that it removed are none`() throws {
    let folder = DiskFolderStorage(folderURL: scratch.url, filenameEncoder: .noEncoding)
    let texts = folder.mapString().makeSyncStorage()
    try texts.set("one", forKey: "a.txt")
    try Data("two".utf8).write(to: scratch.url.appendingPathComponent("b.txt"))
    #expect(try texts.retrieve(forKey: "b.txt") == "two")
    try FileManager.default.removeItem(at: scratch.url.appendingPathComponent("a.txt"))
    let error = result { folder.retrieve(forKey: "a.txt", completion: $0) }.error
    #expect((error as? CocoaError)?.code == .fileReadNoSuchFile)
    try FileManager.default.removeItem(at: scratch.url)
    try texts.set("three", forKey: "c.txt")
    #expect(try texts.retrieve(forKey: "c.txt") == "three")
  }

  @Test func `Clearing takes the folder away, and its end does only if asked to`() throws {
    for clears in [false, true] {
      var folder: DiskFolderStorage? = DiskFolderStorage(folderURL: scratch.url, filenameEncoder: .base64URL)
      folder?.clearsOnDeinit = clears
      try folder?.makeSyncStorage().set(Data([1]), forKey: "a")
      folder = nil
      // It may be removed by another thread.
      while clears, FileManager.default.fileExists(atPath: scratch.url.path) { usleep(100) }
      #expect(FileManager.default.fileExists(atPath: scratch.url.path) == !clears)
    }
    let folder = DiskFolderStorage(folderURL: scratch.url, filenameEncoder: .base64URL)
    try folder.makeSyncStorage().set(Data([1]), forKey: "a")
    folder.clear()
    #expect(!FileManager.default.fileExists(atPath: scratch.url.path))
    #expect(result { folder.retrieve(forKey: "a", completion: $0) }.isFailure)
    try folder.makeSyncStorage().set(Data([2]), forKey: "a")
    #expect(try folder.makeSyncStorage().retrieve(forKey: "a") == Data([2]))
  }
}
