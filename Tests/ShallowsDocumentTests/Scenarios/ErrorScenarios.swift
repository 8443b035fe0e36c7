import Foundation
import Shallows
import Testing

private struct Town: Codable {
  var name: String
}

@Suite struct ErrorScenarios {
  private let scratch = Scratch()

  @Test func `A missing value is told in the words of each storage`() {
    let memory = MemoryStorage<String, Data>()
    let folder = DiskFolderStorage(folderURL: scratch.url, filenameEncoder: .base64URL).usingStringKeys()
    let mapped = memory.mapJSONObject(Town.self).mapKeys { (number: Int) in "\(number)" }
    #expect(words(result { memory.retrieve(forKey: "a", completion: $0) }) == "noValue")
    #expect(words(result { mapped.retrieve(forKey: 1, completion: $0) }) == "noValue")
    let missing = result { folder.retrieve(forKey: "a", completion: $0) }.error as? CocoaError
    #expect(missing?.code == .fileReadNoSuchFile)
    let behind = result { memory.combined(with: folder).retrieve(forKey: "a", completion: $0) }
    #expect((behind.error as? CocoaError)?.code == .fileReadNoSuchFile)
    let before = result { folder.combined(with: memory).retrieve(forKey: "a", completion: $0) }
    #expect(words(before) == "noValue")
  }

  private func words<Value>(_ result: Result<Value, Error>) -> String {
    result.error.map { "\($0)" } ?? "a value"
  }

  @Test func `An empty storage fails all calls with one error`() {
    let empty = Storage<String, Int>.empty()
    let calls: [Result<Void, Error>] = [
      result { empty.retrieve(forKey: "a", completion: $0) }.map { _ in },
      result { empty.set(1, forKey: "a", completion: $0) },
      result { ReadOnlyStorage<String, Int>.empty().retrieve(forKey: "a", completion: $0) }.map { _ in },
      result { WriteOnlyStorage<String, Int>.empty().set(1, forKey: "a", completion: $0) },
    ]
    for call in calls {
      #expect(call.error as? EmptyCacheError == .cacheIsAlwaysEmpty)
      #expect(words(call) == "cacheIsAlwaysEmpty")
      do { try call.get() } catch EmptyCacheError.cacheIsAlwaysEmpty {} catch { Issue.record(error) }
    }
    #expect(empty.storageName == "empty")
  }

  @Test func `An empty front lets the back answer, and keeps it from being set`() {
    let back = MemoryStorage<String, Int>(storage: ["a": 1])
    let both = Storage<String, Int>.empty().combined(with: back)
    #expect(result { both.retrieve(forKey: "a", completion: $0) }.value == 1)
    #expect(result { both.set(2, forKey: "a", completion: $0) }.error as? EmptyCacheError != nil)
    #expect(back.storage == ["a": 1])
    let other = back.combined(with: Storage<String, Int>.empty())
    #expect(result { other.set(3, forKey: "b", completion: $0) }.error as? EmptyCacheError != nil)
    #expect(back.storage == ["a": 1, "b": 3])
    #expect(result { other.retrieve(forKey: "c", completion: $0) }.error as? EmptyCacheError != nil)
  }

  @Test func `What closures of transforms throw is what the call fails with`() {
    let memory = MemoryStorage<String, Int>(storage: ["a": 1])
    let values = memory.mapValues(
      to: String.self, transformIn: { _ in throw Oops(name: "in") },
      transformOut: { _ in throw Oops(name: "out") })
    #expect(result { values.retrieve(forKey: "a", completion: $0) }.error as? Oops == Oops(name: "in"))
    #expect(result { values.set("x", forKey: "a", completion: $0) }.error as? Oops == Oops(name: "out"))
    let keys = memory.mapKeys { (_: Int) in throw Oops(name: "key") }
    #expect(result { keys.retrieve(forKey: 1, completion: $0) }.error as? Oops == Oops(name: "key"))
    #expect(result { keys.set(1, forKey: 1, completion: $0) }.error as? Oops == Oops(name: "key"))
    #expect(memory.storage == ["a": 1])
  }

  @Test func `What closures of transforms throw is told as it was thrown`() {
    let memory = MemoryStorage<String, Int>(storage: ["a": 1])
    let errors: [Error] = [
      CocoaError(.fileReadNoSuchFile), Int?.UnwrapError(), EmptyCacheError.cacheIsAlwaysEmpty,
      ValueValidationError(), UnsupportedTransformationStorageError.storageIsReadOnly, URLError(.badURL),
    ]
    for thrown in errors {
      let values = memory.mapValues(
        transformIn: { _ -> Int in throw thrown }, transformOut: { _ in throw thrown })
      let later = memory.asyncMapValues(
        transformIn: { _ -> Int in throw thrown }, transformOut: { _ in throw thrown })
      let keys = memory.mapKeys { (_: String) in throw thrown }
      for storage in [values, later, keys] {
        for error in [
          result { storage.retrieve(forKey: "a", completion: $0) }.error,
          result { storage.set(1, forKey: "a", completion: $0) }.error,
        ] {
          #expect(error.map { type(of: $0) == type(of: thrown) } == true, "\(thrown)")
          if let thrown = thrown as? CocoaError {
            #expect((error as? CocoaError)?.code == thrown.code)
          } else {
            #expect(error.map { "\($0)" } == "\(thrown)")
          }
        }
      }
    }
  }

  @Test func `An error of another storage passes through a closure as it is`() {
    let names = MemoryStorage<Int, String>().makeSyncStorage()
    let memory = MemoryStorage<String, Int>(storage: ["a": 1])
    let joined = memory.mapValues(transformIn: { try names.retrieve(forKey: $0) }, transformOut: { $0.count })
    #expect(words(result { joined.retrieve(forKey: "a", completion: $0) }) == "noValue")
  }

  @Test func `Data that is not what was asked for is told with its data`() throws {
    let memory = MemoryStorage<String, Data>(storage: ["a": Data("{}".utf8), "b": Data([0xFF])])
    let json = result { memory.mapJSONObject(Town.self).retrieve(forKey: "a", completion: $0) }.error
    #expect((json as? Shallows.DecodingError<JSONDecoder>)?.originalData == Data("{}".utf8))
    let plist = result { memory.mapPlistObject(Town.self).retrieve(forKey: "a", completion: $0) }.error
    #expect((plist as? Shallows.DecodingError<PropertyListDecoder>)?.originalData == Data("{}".utf8))
    let any = result { memory.mapJSON().retrieve(forKey: "b", completion: $0) }.error
    #expect((any as? Shallows.DecodingError<JSONSerialization>)?.originalData == Data([0xFF]))
    let list = result { memory.mapPlist().retrieve(forKey: "b", completion: $0) }.error
    #expect((list as? Shallows.DecodingError<PropertyListSerialization>)?.originalData == Data([0xFF]))
    let text = result { memory.mapString().retrieve(forKey: "b", completion: $0) }.error
    #expect(text is String?.UnwrapError)
    let array = MemoryStorage<String, Data>(storage: ["a": Data("[1]".utf8)])
    let dictionary = result { array.mapJSONDictionary().retrieve(forKey: "a", completion: $0) }.error
    #expect(dictionary is [String: Any]?.UnwrapError)
  }

  @Test func `A raw value that stands for nothing fails`() {
    enum Side: String { case left, right }
    let memory = MemoryStorage<String, String>(storage: ["a": "left", "b": "middle"])
    let sides = memory.mapValues(toRawRepresentableType: Side.self)
    #expect(result { sides.retrieve(forKey: "a", completion: $0) }.value == .left)
    #expect(result { sides.retrieve(forKey: "b", completion: $0) }.error is Side?.UnwrapError)
  }

  @Test func `A disk says what keeps it from writing`() throws {
    try FileManager.default.createDirectory(at: scratch.url, withIntermediateDirectories: true)
    let file = scratch.url.appendingPathComponent("file")
    try Data([1]).write(to: file)
    let disk = DiskStorage(creatingDirectories: true)
    let below = result { disk.set(Data(), forKey: file.appendingPathComponent("a/b"), completion: $0) }.error
    if case .cantCreateDirectory? = below as? DiskStorage.Error {
    } else {
      Issue.record("\(String(describing: below))")
    }
    let missing = scratch.url.appendingPathComponent("none/a")
    let careful = DiskStorage(creatingDirectories: false)
    let refused = result { careful.set(Data(), forKey: missing, completion: $0) }.error
    if case .cantCreateFile? = refused as? DiskStorage.Error {
    } else {
      Issue.record("\(String(describing: refused))")
    }
    #expect(result { disk.set(Data([2]), forKey: missing, completion: $0) }.isSuccess)
    #expect(result { careful.set(Data([3]), forKey: missing, completion: $0) }.isSuccess)
    #expect(result { disk.retrieve(forKey: missing, completion: $0) }.value == Data([3]))
  }

  @Test func `A fallback sees the error, and may throw another one`() {
    let memory = MemoryStorage<String, Data>(storage: ["bad": Data("no JSON".utf8)])
    let cities = memory.mapJSONObject(Town.self).fallback { error in
      if error is Shallows.DecodingError<JSONDecoder> { return Town(name: "bad") }
      throw Oops(name: "\(error)")
    }
    #expect(result { cities.retrieve(forKey: "bad", completion: $0) }.value?.name == "bad")
    #expect(
      result { cities.retrieve(forKey: "none", completion: $0) }.error as? Oops == Oops(name: "noValue"))
    #expect(result { cities.set(Town(name: "x"), forKey: "none", completion: $0) }.isSuccess)
    #expect(result { cities.retrieve(forKey: "none", completion: $0) }.value?.name == "x")
  }

  @Test func `A default is made at each failure, and at no value`() {
    let memory = MemoryStorage<String, Int>(storage: ["a": 7])
    var count = 0
    func next() -> Int {
      count += 1
      return count
    }
    let storage = memory.defaulting(to: next())
    let found = ["a", "b", "b", "a"].map { key in
      result { storage.retrieve(forKey: key, completion: $0) }.value
    }
    #expect(found == [7, 1, 2, 7] && memory.storage == ["a": 7])
    let reading = memory.asReadOnlyStorage().defaulting(to: next())
    #expect(result { reading.retrieve(forKey: "b", completion: $0) }.value == 3)
    // What a front has by default hides what the back has.
    let both = MemoryStorage<String, Int>().defaulting(to: 0).combined(with: memory)
    #expect(result { both.retrieve(forKey: "a", completion: $0) }.value == 0)
  }

  @Test func `A validated storage refuses values both ways`() {
    let memory = MemoryStorage<String, Int>(storage: ["bad": -1, "good": 1])
    let storage = memory.validate { value in
      if value == 0 { throw Oops() }
      return value > 0
    }
    #expect(result { storage.retrieve(forKey: "good", completion: $0) }.value == 1)
    #expect(result { storage.retrieve(forKey: "bad", completion: $0) }.error is ValueValidationError)
    #expect(result { storage.set(-2, forKey: "a", completion: $0) }.error is ValueValidationError)
    #expect(result { storage.set(0, forKey: "a", completion: $0) }.error is Oops)
    #expect(result { storage.set(2, forKey: "a", completion: $0) }.isSuccess)
    #expect(memory.storage == ["bad": -1, "good": 1, "a": 2])
    let writing = memory.asWriteOnlyStorage().validate { $0 > 10 }
    #expect(result { writing.set(5, forKey: "a", completion: $0) }.error is ValueValidationError)
    let reading = memory.asReadOnlyStorage().validate { $0 > 10 }
    #expect(result { reading.retrieve(forKey: "a", completion: $0) }.error is ValueValidationError)
  }
}
