import Foundation
import Shallows
import Testing

@Suite struct TransformScenarios {
  private let transcript = Transcript()

  @Test func `Closures are called once for each call, keys before values`() {
    let memory = MemoryStorage<String, Int>()
    let storage =
      memory
      .mapValues(
        transformIn: { value -> String in
          self.transcript.say("in \(value)")
          return "\(value)"
        },
        transformOut: { text -> Int in
          self.transcript.say("out \(text)")
          return try Int(text).unwrap()
        }
      )
      .mapKeys { (number: Int) -> String in
        self.transcript.say("key \(number)")
        return "\(number)"
      }
    _ = result { storage.set("5", forKey: 1, completion: $0) }
    _ = result { storage.retrieve(forKey: 1, completion: $0) }
    _ = result { storage.retrieve(forKey: 2, completion: $0) }
    _ = result { storage.set("x", forKey: 3, completion: $0) }
    #expect(transcript.lines == ["key 1", "out 5", "key 1", "in 5", "key 2", "key 3", "out x"])
  }

  @Test func `Halves take transforms of their own direction`() {
    let memory = MemoryStorage<String, Int>()
    let writing = memory.asWriteOnlyStorage().mapValues { (text: String) in try Int(text).unwrap() }
      .mapKeys { (number: Int) in "\(number)" }
    #expect(result { writing.set("7", forKey: 1, completion: $0) }.isSuccess)
    #expect(result { writing.set("x", forKey: 1, completion: $0) }.error is Int?.UnwrapError)
    let reading = memory.asReadOnlyStorage().mapValues { "<\($0)>" }.mapKeys { (number: Int) in "\(number)" }
    #expect(result { reading.retrieve(forKey: 1, completion: $0) }.value == "<7>")
    #expect(memory.storage == ["1": 7])
  }

  @Test func `Transforms of full storages serve halves, and the other half fails`() {
    let memory = MemoryStorage<String, Data>(storage: ["a": Data("[1]".utf8)])
    let reading = memory.asReadOnlyStorage().usingUnsupportedTransformation {
      full -> Storage<String, [Int]> in
      let lists = full.mapJSONObject([Int].self)
      let error = result { lists.set([2], forKey: "b", completion: $0) }.error
      #expect(error as? UnsupportedTransformationStorageError == .storageIsReadOnly)
      return lists
    }
    #expect(result { reading.retrieve(forKey: "a", completion: $0) }.value == [1])
    let writing = memory.asWriteOnlyStorage().usingUnsupportedTransformation {
      full -> Storage<String, [Int]> in
      let lists = full.mapJSONObject([Int].self)
      let error = result { lists.retrieve(forKey: "a", completion: $0) }.error
      #expect(error as? UnsupportedTransformationStorageError == .storageIsWriteOnly)
      return lists
    }
    #expect(result { writing.set([3], forKey: "c", completion: $0) }.isSuccess)
    #expect(memory.storage == ["a": Data("[1]".utf8), "c": Data("[3]".utf8)])
  }

  @Test func `A storage of two halves reads from one and writes to the other`() throws {
    let (old, new) = (MemoryStorage<String, Int>(storage: ["a": 1]), MemoryStorage<String, Int>())
    let both = Storage(read: old.asReadOnlyStorage(), write: new.asWriteOnlyStorage())
    #expect(both.storageName == old.storageName)
    let sync = both.makeSyncStorage()
    try sync.set(2, forKey: "a")
    #expect(try sync.retrieve(forKey: "a") == 1 && new.storage == ["a": 2])
    let named = Storage(storageName: "moving", read: old.asReadOnlyStorage(), write: new.asWriteOnlyStorage())
    let names = [
      named.storageName, named.asReadOnlyStorage().storageName, named.asWriteOnlyStorage().storageName,
    ]
    #expect(names == ["moving", "moving", "moving"])
  }

  @Test func `Names tell what a storage is made of`() {
    let memory = MemoryStorage<String, Int>()
    let name = "memory-storage-String:Int"
    let (front, back) = (memory.renaming(to: "front"), memory.renaming(to: "back"))
    let folder = DiskFolderStorage(
      folderURL: URL(fileURLWithPath: "/tmp/cities"), filenameEncoder: .base64URL)
    #expect(memory.storageName == name && memory.asStorage().storageName == name)
    #expect(folder.storageName == "disk-cities" && DiskStorage.main.storageName == "disk")
    #expect(folder.mapString().usingStringKeys().singleKey("a").storageName == "disk-cities")
    #expect(front.combined(with: back).storageName == "front<->back")
    #expect(front.backed(by: back).storageName == "front<-back")
    #expect(front.asReadOnlyStorage().backed(by: back).storageName == "front-back")
    #expect(front.pushing(to: back).storageName == "front-back")
    #expect(front.combined(with: back).combined(with: memory).storageName == "front<->back<->\(name)")
    #expect(zip(front, back).storageName == "front+back")
    #expect(front.mapKeys { (number: Int) in "\(number)" }.storageName == "front")
    #expect(front.mapValues(transformIn: { "\($0)" }, transformOut: { $0.count }).storageName == "front")
    #expect(front.asyncMapKeys { (number: Int) in "\(number)" }.storageName == "front")
    #expect(
      front.defaulting(to: 1).storageName == "front" && front.validate { _ in true }.storageName == "front")
    #expect(front.synchronizedCalls().storageName == "front")
    #expect(front.makeSyncStorage().storageName == "front-sync")
    #expect(front.asReadOnlyStorage().makeSyncStorage().storageName == "front-sync")
    #expect(front.asWriteOnlyStorage().makeSyncStorage().storageName == "front-sync")
    #expect(front.asReadOnlyStorage().renaming(to: "half").storageName == "half")
    #expect(front.asWriteOnlyStorage().renaming(to: "half").storageName == "half")
    #expect(
      front.asReadOnlyStorage().storageName == "front" && front.asWriteOnlyStorage().storageName == "front")
    #expect(ReadOnlyStorage(front).storageName == "front" && Storage(front).storageName == "front")
  }

  @Test func `A renamed storage is the same one`() throws {
    let memory = MemoryStorage<String, Int>()
    try memory.renaming(to: "other").makeSyncStorage().set(1, forKey: "a")
    #expect(memory.storage == ["a": 1])
    #expect(try memory.asReadOnlyStorage().renaming(to: "x").makeSyncStorage().retrieve(forKey: "a") == 1)
    try memory.asWriteOnlyStorage().renaming(to: "y").makeSyncStorage().set(2, forKey: "a")
    #expect(memory.storage == ["a": 2])
  }

  @Test func `Values are written as JSON, property lists and text`() throws {
    let memory = MemoryStorage<String, Data>()
    let text = { (key: String) in String(decoding: memory.storage[key] ?? Data(), as: UTF8.self) }
    try memory.mapJSONObject([String: Int].self).makeSyncStorage().set(["a": 1], forKey: "json")
    #expect(text("json") == #"{"a":1}"#)
    try memory.mapJSON().makeSyncStorage().set([1, "two"], forKey: "any")
    #expect(text("any") == #"[1,"two"]"#)
    try memory.mapJSONDictionary(writingOptions: .sortedKeys).makeSyncStorage().set(
      ["b": 1, "a": 2], forKey: "d")
    #expect(text("d") == #"{"a":2,"b":1}"#)
    try memory.mapString(withEncoding: .utf16LittleEndian).makeSyncStorage().set("hi", forKey: "text")
    #expect(memory.storage["text"] == Data([0x68, 0, 0x69, 0]))
    try memory.mapPlistObject([Int].self).makeSyncStorage().set([1], forKey: "plist")
    #expect(text("plist").hasPrefix("bplist00"))
    try memory.mapPlist().makeSyncStorage().set([1], forKey: "list")
    #expect(text("list").hasPrefix("<?xml"))
    try memory.mapPlistDictionary().makeSyncStorage().set(["a": 1], forKey: "list")
    #expect(try memory.mapPlistDictionary().makeSyncStorage().retrieve(forKey: "list")["a"] as? Int == 1)
    #expect(try memory.mapPlistObject([Int].self).makeSyncStorage().retrieve(forKey: "plist") == [1])
    let ascii = memory.mapString(withEncoding: .ascii)
    #expect(result { ascii.set("\u{E9}", forKey: "e", completion: $0) }.error is Data?.UnwrapError)
  }
}
