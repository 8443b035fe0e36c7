import Foundation
import Shallows
import Testing

struct Player: Codable, Equatable {
  let name: String
  let rating: Int
}

struct PlayersOfFive: Program {
  @available(*, deprecated)
  func run() throws {
    let folders = SystemFolders()
    let memoryStorage = MemoryStorage<String, Player>()
    let diskStorage = FileSystemStorage.inDirectory(
      .cachesDirectory, appending: folders.name("cache", in: .cachesDirectory)
    )
    .mapJSONObject(Player.self)
    .usingStringKeys()
    let combinedStorage = memoryStorage.combined(with: diskStorage)
    let semaphore = DispatchSemaphore(value: 0)
    var told: [String] = []
    combinedStorage.retrieve(forKey: "Higgins") { (result) in
      if let player = result.value {
        told.append(player.name)
      }
      semaphore.signal()
    }
    semaphore.wait()
    combinedStorage.set(Player(name: "Mark", rating: 1), forKey: "Selby") { (result) in
      if result.isSuccess {
        told.append("Success!")
      }
      semaphore.signal()
    }
    semaphore.wait()
    #expect(told == ["Success!"])
    #expect(try diskStorage.makeSyncStorage().retrieve(forKey: "Selby") == Player(name: "Mark", rating: 1))
  }
}

struct MappingOfFive: Program {
  enum EnumKey: String {
    case first, second, third
  }

  func run() throws {
    let storage = MemoryStorage<String, Int>()
    let stringStorage = storage.mapValues(
      transformIn: { String($0) },
      transformOut: { try Int($0).unwrap() })
    let keyedStorage: Storage<EnumKey, String> = stringStorage.mapKeys({ $0.rawValue })
    try keyedStorage.makeSyncStorage().set("15", forKey: .second)
    #expect(storage.storage == ["second": 15])
    #expect(throws: Int?.UnwrapError.self) { try keyedStorage.makeSyncStorage().set("x", forKey: .first) }
    #expect(throws: MemoryStorageError.noValue) {
      try keyedStorage.makeSyncStorage().retrieve(forKey: .third)
    }
  }
}

struct ImagesOfFive: Program {
  @available(*, deprecated)
  func run() throws {
    let folders = SystemFolders()
    let name = folders.name("shallows-caches-1", in: .cachesDirectory)
    let fileSystemStorage = FileSystemStorage.inDirectory(.cachesDirectory, appending: name)
    let imageStorage = fileSystemStorage.mapValues(
      transformIn: { try Image(data: $0).unwrap() },
      transformOut: { try imageRepresentation($0).unwrap() })
    let efficient = MemoryStorage<Filename, Image>().combined(with: imageStorage).makeSyncStorage()
    try efficient.set(Image(pixels: [7]), forKey: "a")
    #expect(try fileSystemStorage.makeSyncStorage().retrieve(forKey: "a") == Data([0x89, 7]))
    let byStrings = MemoryStorage<String, Image>().combined(with: imageStorage.usingStringKeys())
    #expect(try byStrings.makeSyncStorage().retrieve(forKey: "a") == Image(pixels: [7]))
  }
}

struct ReadingOnlyOfFive: Program {
  @available(*, deprecated)
  func run() throws {
    let folders = SystemFolders()
    let files = FileSystemStorage.inDirectory(
      .cachesDirectory, appending: folders.name("shallows-immutable", in: .cachesDirectory))
    try files.mapString(withEncoding: .utf8).makeSyncStorage().set("text", forKey: "a")
    let immutableFileStorage =
      files
      .mapString(withEncoding: .utf8)
      .usingStringKeys()
      .asReadOnlyStorage()
    let storage = MemoryStorage<String, String>()
      .combined(with: immutableFileStorage)
      .asReadOnlyStorage()
    let typed: ReadOnlyStorage<String, String> = storage
    #expect(try typed.makeSyncStorage().retrieve(forKey: "a") == "text")
  }
}

struct SettingsOfFive: Program {
  @available(*, deprecated)
  func run() throws {
    let folders = SystemFolders()
    let settingsStorage = FileSystemStorage.inDirectory(
      .documentDirectory, appending: folders.name("settings", in: .documentDirectory)
    )
    .mapJSONDictionary()
    .singleKey("settings")
    _ = result { settingsStorage.set(["a": "b"], completion: $0) }
    let settings = result { completion in
      settingsStorage.retrieve { (result) in
        completion(result)
      }
    }
    #expect(try settings.get()["a"] as? String == "b")
  }
}

struct StrategiesOfFive: Program {
  @available(*, deprecated)
  func run() throws {
    let front = MemoryStorage<String, Int>(), back = MemoryStorage<String, Int>(storage: ["b": 2])
    let careful = front.combined(with: back, pullStrategy: .neverPull, setStrategy: .backOnly)
      .makeSyncStorage()
    #expect(try careful.retrieve(forKey: "b") == 2 && front.storage == [:])
    try careful.set(1, forKey: "a")
    #expect(front.storage == [:] && back.storage == ["a": 1, "b": 2])
    let strategies: [StorageCombinationPullStrategy] = [.pullThenComplete, .completeThenPull, .neverPull]
    let setting: [StorageCombinationSetStrategy] = [.backFirst, .frontFirst, .frontOnly, .backOnly]
    for pullStrategy in strategies {
      for setStrategy in setting {
        let front = MemoryStorage<String, Int>(), back = MemoryStorage<String, Int>()
        try front.combined(with: back, pullStrategy: pullStrategy, setStrategy: setStrategy)
          .makeSyncStorage().set(1, forKey: "a")
        #expect((front.storage["a"] == nil) == (setStrategy == .backOnly))
        #expect((back.storage["a"] == nil) == (setStrategy == .frontOnly))
      }
    }
  }
}

struct CompletionsOfFive: Program {
  @available(*, deprecated)
  func run() {
    let arrays = MemoryStorage<String, [Int]>(storage: ["some-key": []])
    var told: [String] = []
    arrays.update(forKey: "some-key", { $0.append(10) }) { (result) in
      told.append("\(result.value ?? [])")
    }
    let zipped = zip(MemoryStorage<String, String>(), MemoryStorage<String, Int>())
    let isTold = DispatchSemaphore(value: 0)
    zipped.set(("shallows", 3), forKey: "another-key") { (result) in
      if result.isSuccess {
        told.append("Yay!")
      }
      isTold.signal()
    }
    isTold.wait()
    #expect(told == ["[10]", "Yay!"])
  }
}

private struct Lengths: ReadableStorageProtocol {
  func retrieve(forKey key: String, completion: @escaping (ShallowsResult<Int>) -> ()) {
    completion(succeed(with: key.count))
  }
}

struct ReadableOfFive: Program {
  func run() throws {
    let lengths: ReadOnlyStorage<String, Int> = Lengths().asReadOnlyStorage()
    #expect(try lengths.makeSyncStorage().retrieve(forKey: "abc") == 3)
    #expect(
      try MemoryStorage<String, Int>().backed(by: Lengths()).makeSyncStorage().retrieve(forKey: "ab") == 2)
  }
}
