import Foundation
import Shallows
import Testing

struct City: Codable, Equatable {
  let name: String
  let foundationYear: Int
}

struct KeepingCities: Program {
  @available(*, deprecated)
  func run() throws {
    let folders = SystemFolders()
    let diskStorage = DiskStorage.main.folder(
      folders.name("cities", in: .cachesDirectory), in: .cachesDirectory
    )
    .mapJSONObject(City.self)
    let typed: Storage<Filename, City> = diskStorage
    let kharkiv = City(name: "Kharkiv", foundationYear: 1654)
    diskStorage.set(kharkiv, forKey: "kharkiv")
    let city = result { completion in
      diskStorage.retrieve(forKey: "kharkiv") { (result) in
        completion(result)
      }
    }
    #expect(try city.get() == kharkiv)
    #expect(try typed.makeSyncStorage().retrieve(forKey: "kharkiv") == kharkiv)
  }
}

struct UsingStorages: Program {
  func run() {
    let storage = MemoryStorage<String, Int>().asStorage()
    var told: [String] = []
    storage.set(10, forKey: "some-key") { (result) in
      switch result {
      case .success:
        told.append("set")
      case .failure(let error):
        told.append("\(error)")
      }
    }
    for key in ["some-key", "another"] {
      storage.retrieve(forKey: key) { (result) in
        switch result {
        case .success(let value):
          told.append("\(value)")
        case .failure(let error):
          told.append("\(error)")
        }
      }
    }
    #expect(told == ["set", "10", "noValue"])
  }
}

struct MappingImages: Program {
  enum ImageKeys: String {
    case kitten, puppy, fish
  }

  func run() throws {
    let folders = SystemFolders()
    let storage = DiskStorage.main.folder(folders.name("images", in: .cachesDirectory), in: .cachesDirectory)
    let images =
      storage
      .mapValues(
        to: Image.self,
        transformIn: { data in try Image.init(data: data).unwrap() },
        transformOut: { image in try imageRepresentation(image).unwrap() })
    let keyedImages =
      images
      .usingStringKeys()
      .mapKeys(toRawRepresentableType: ImageKeys.self)
    let kitten = Image(pixels: [1, 2, 3])
    _ = result { keyedImages.set(kitten, forKey: .kitten, completion: $0) }
    let retrieved = result { completion in
      keyedImages.retrieve(forKey: .kitten, completion: { result in completion(result) })
    }
    #expect(try retrieved.get() == kitten)
    #expect(try storage.makeSyncStorage().retrieve(forKey: "kitten") == Data([0x89, 1, 2, 3]))
    #expect(result { keyedImages.retrieve(forKey: .fish, completion: $0) }.error?.isNoValue == true)
    #expect(result { keyedImages.set(Image(pixels: []), forKey: .puppy, completion: $0) }.isFailure)
    try storage.makeSyncStorage().set(Data([0]), forKey: "puppy")
    #expect(throws: Image?.UnwrapError.self) { try keyedImages.makeSyncStorage().retrieve(forKey: .puppy) }

    let efficient = MemoryStorage<Filename, Image>().combined(with: images)
    #expect(try efficient.makeSyncStorage().retrieve(forKey: "kitten") == kitten)
    storage.clear()
    #expect(try efficient.makeSyncStorage().retrieve(forKey: "kitten") == kitten)
  }
}

struct Composing: Program {
  func run() throws {
    let front = MemoryStorage<String, Int>(), back = MemoryStorage<String, Int>(storage: ["b": 2])
    let combined = front.combined(with: back).makeSyncStorage()
    #expect(try combined.retrieve(forKey: "b") == 2 && front.storage == ["b": 2])
    try combined.set(3, forKey: "c")
    #expect(front.storage["c"] == 3 && back.storage["c"] == 3)

    let backed = MemoryStorage<String, Int>().backed(by: back).makeSyncStorage()
    try backed.set(4, forKey: "d")
    #expect(try backed.retrieve(forKey: "d") == 4 && backed.retrieve(forKey: "b") == 2)
    #expect(back.storage["d"] == nil)

    let local = MemoryStorage<String, Int>()
    let pushing = local.pushing(to: back)
    let typed: WriteOnlyStorage<String, Int> = pushing
    try typed.makeSyncStorage().set(5, forKey: "e")
    #expect(local.storage["e"] == 5 && back.storage["e"] == 5)

    let writing = local.asWriteOnlyStorage().pushing(to: back.asWriteOnlyStorage()).makeSyncStorage()
    try writing.set(6, forKey: "f")
    #expect(local.storage["f"] == 6 && back.storage["f"] == 6)

    let empty = MemoryStorage<String, Int>()
    let reading = empty.asReadOnlyStorage().backed(by: back.asReadOnlyStorage()).makeSyncStorage()
    #expect(try reading.retrieve(forKey: "b") == 2 && empty.storage == [:])
  }
}

struct RestrictingStorages: Program {
  func run() throws {
    let folders = SystemFolders()
    let name = folders.name("immutable", in: .applicationSupportDirectory)
    try DiskStorage.main.folder(name, in: .applicationSupportDirectory)
      .mapString(withEncoding: .utf8).makeSyncStorage().set("text", forKey: "a")
    let immutableFileStorage = DiskStorage.main.folder(name, in: .applicationSupportDirectory)
      .mapString(withEncoding: .utf8)
      .asReadOnlyStorage()
    let storage = MemoryStorage<Filename, String>()
      .backed(by: immutableFileStorage)
      .asReadOnlyStorage()
    let typed: ReadOnlyStorage<Filename, String> = storage
    #expect(try typed.makeSyncStorage().retrieve(forKey: "a") == "text")

    let memory = MemoryStorage<String, Int>()
    let writeOnly = memory.asWriteOnlyStorage()
    let typedWriteOnly: WriteOnlyStorage<String, Int> = writeOnly
    try typedWriteOnly.makeSyncStorage().set(1, forKey: "a")
    #expect(memory.storage == ["a": 1])
  }
}

struct KeepingSettings: Program {
  func run() throws {
    let folders = SystemFolders()
    let name = folders.name("settings", in: .applicationSupportDirectory)
    let settings = DiskStorage.main.folder(name, in: .applicationSupportDirectory)
      .mapJSONDictionary()
      .singleKey("settings")
    let typed: Storage<Void, [String: Any]> = settings
    _ = result { typed.set(["volume": 11], completion: $0) }
    let dictionary = result { completion in
      settings.retrieve { (result) in
        completion(result)
      }
    }
    #expect(try dictionary.get()["volume"] as? Int == 11)
    #expect(try settings.makeSyncStorage().retrieve().count == 1)
  }
}

struct WaitingForStorages: Program {
  func run() throws {
    let folders = SystemFolders()
    let strings = DiskStorage.main.folder(folders.name("strings", in: .cachesDirectory), in: .cachesDirectory)
      .mapString(withEncoding: .utf8)
      .makeSyncStorage()
    let typed: SyncStorage<Filename, String> = strings
    try typed.set("hello", forKey: "hello")
    let existing = try strings.retrieve(forKey: "hello")
    try strings.set(existing.uppercased(), forKey: "hello")
    #expect(try strings.retrieve(forKey: "hello") == "HELLO")
  }
}

struct UpdatingArrays: Program {
  @available(*, deprecated)
  func run() {
    let arrays = MemoryStorage<String, [Int]>(storage: ["some-key": [1]])
    arrays.update(forKey: "some-key", { $0.append(10) })
    #expect(arrays.storage == ["some-key": [1, 10]])
  }
}

struct ZippingStorages: Program {
  @available(*, deprecated)
  func run() throws {
    let strings = MemoryStorage<String, String>()
    let numbers = MemoryStorage<String, Int>()
    let zipped = zip(strings, numbers)
    let typed: Storage<String, (String, Int)> = zipped
    zipped.set(("shallows", 3), forKey: "another-key")
    var told: [String] = []
    let isTold = DispatchSemaphore(value: 0)
    for key in ["some-key", "another-key"] {
      typed.retrieve(forKey: key) { (result) in
        if let (string, number) = try? result.get() {
          told.append("\(string) \(number)")
        }
        isTold.signal()
      }
      isTold.wait()
    }
    #expect(told == ["shallows 3"])
  }
}

struct RecoveringFromErrors: Program {
  @available(*, deprecated)
  func run() throws {
    let storage = MemoryStorage<String, Int>()
    let protected = storage.fallback(with: { error in
      switch error {
      case MemoryStorageError.noValue:
        return 15
      default:
        return -1
      }
    })
    #expect(try protected.makeSyncStorage().retrieve(forKey: "a") == 15)
    let defaulted = storage.defaulting(to: -1)
    #expect(try defaulted.makeSyncStorage().retrieve(forKey: "a") == -1)
    let arrays = MemoryStorage<String, [Int]>()
    arrays.defaulting(to: []).update(forKey: "first", { $0.append(10) })
    #expect(arrays.storage == ["first": [10]])
  }
}

struct CachingObjects: Program {
  func run() throws {
    let nscache = NSCacheStorage<NSURL, NSData>()
      .toNonObjCKeys()
      .toNonObjCValues()
    let typed: Storage<URL, Data> = nscache
    let url = URL(fileURLWithPath: "/tmp/a")
    try typed.makeSyncStorage().set(Data([1]), forKey: url)
    #expect(try nscache.makeSyncStorage().retrieve(forKey: url) == Data([1]))
  }
}

private final class MyStorage: StorageProtocol {
  private var values: [String: Int] = [:]

  func retrieve(forKey key: String, completion: @escaping (Result<Int, Error>) -> ()) {
    completion(Result { try values[key].unwrap() })
  }

  func set(_ value: Int, forKey key: String, completion: @escaping (Result<Void, Error>) -> ()) {
    values[key] = value
    completion(.success(()))
  }
}

private struct MyReadOnlyStorage: ReadOnlyStorageProtocol {
  func retrieve(forKey key: String, completion: @escaping (Result<Int, Error>) -> ()) {
    completion(.success(key.count))
  }
}

struct MakingOneself: Program {
  func run() throws {
    let storage = MyStorage().asStorage()
    #expect(storage.storageName == "MyStorage")
    try storage.makeSyncStorage().set(1, forKey: "a")
    #expect(try storage.makeSyncStorage().retrieve(forKey: "a") == 1)
    let doubled = MyReadOnlyStorage().mapValues { $0 * 2 }
    #expect(try doubled.makeSyncStorage().retrieve(forKey: "abc") == 6)
  }
}

struct ThreeLayers: Program {
  func run() throws {
    let folders = SystemFolders()
    let name = folders.name("objects", in: .documentDirectory)
    let remote = MemoryStorage<Filename, Data>()
    let storage = MemoryStorage<Filename, City>()
      .combined(with: DiskStorage.main.folder(name, in: .documentDirectory).mapJSONObject(City.self))
      .combined(with: remote.mapJSONObject(City.self))
    let lviv = City(name: "Lviv", foundationYear: 1256)
    try storage.makeSyncStorage().set(lviv, forKey: "lviv")
    #expect(try JSONDecoder().decode(City.self, from: remote.storage["lviv"].unwrap()) == lviv)
    let disk = DiskStorage.main.folder(name, in: .documentDirectory).mapJSONObject(City.self)
    #expect(try disk.makeSyncStorage().retrieve(forKey: "lviv") == lviv)
  }
}

@Suite struct AwaitingTests {
  @Test func `What was shown with await for version 0.13 does what it was shown for`() async throws {
    let folders = SystemFolders()
    let diskStorage = DiskStorage.main.folder(
      folders.name("cities", in: .cachesDirectory), in: .cachesDirectory
    )
    .mapJSONObject(City.self)
    let kharkiv = City(name: "Kharkiv", foundationYear: 1654)
    try await diskStorage.set(kharkiv, forKey: "kharkiv")
    let city = try await diskStorage.retrieve(forKey: "kharkiv")
    #expect(city == kharkiv)
    withExtendedLifetime(folders) {}
  }

  @Test func `Errors of decoding are told from Swift's own`() async throws {
    let cities = MemoryStorage<String, Data>(storage: ["a": Data("[]".utf8)]).mapJSONObject(City.self)
    do {
      _ = try await cities.retrieve(forKey: "a")
      Issue.record("an array is no city")
    } catch let error as DecodingError<JSONDecoder> {
      #expect(error.rawError is Swift.DecodingError && error.originalData == Data("[]".utf8))
    }
  }

  @Test func `Encoders of names take any closure`() {
    final class Counter { var count = 0 }
    let counter = Counter()
    let encoder = Filename.Encoder.custom { filename in
      counter.count += 1
      return filename.rawValue + ".\(counter.count)"
    }
    #expect(encoder.encodedString(representing: "a") == "a.1")
  }
}
