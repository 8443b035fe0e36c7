import Foundation
import Shallows
import Testing

struct CitiesOfNine: Program {
  @available(*, deprecated)
  func run() throws {
    let folders = SystemFolders()
    let diskStorage = DiskStorage.main.folder(
      folders.name("cities", in: .cachesDirectory), in: .cachesDirectory
    )
    .mapJSONObject(City.self)
    let kharkiv = City(name: "Kharkiv", foundationYear: 1654)
    diskStorage.set(kharkiv, forKey: "kharkiv")
    let semaphore = DispatchSemaphore(value: 0)
    var told: [City] = []
    diskStorage.retrieve(forKey: "kharkiv") { (result) in
      if let city = result.value { told.append(city) }
      semaphore.signal()
    }
    semaphore.wait()
    #expect(told == [kharkiv])
  }
}

struct ReadingResultsOfNine: Program {
  @available(*, deprecated)
  func run() throws {
    let strings = MemoryStorage<String, String>()
    let numbers = MemoryStorage<String, Int>()
    let zipped = zip(strings, numbers)
    zipped.set(("shallows", 3), forKey: "another-key")
    var told: [String] = []
    let isTold = DispatchSemaphore(value: 0)
    zipped.retrieve(forKey: "another-key") { (result) in
      if let (string, number) = result.value {
        told.append("\(string) \(number)")
      }
      isTold.signal()
    }
    isTold.wait()
    zipped.retrieve(forKey: "some-key") { (result) in
      if result.isFailure, let error = result.error as? ZippedResultError {
        told.append("\(error.left != nil) \(error.right != nil)")
      }
      isTold.signal()
    }
    isTold.wait()
    #expect(told == ["shallows 3", "true true"])
  }
}

struct ComposingOfNine: Program {
  func run() throws {
    let folders = SystemFolders()
    let name = folders.name("immutable", in: .applicationSupportDirectory)
    let immutableFileStorage = DiskStorage.main.folder(name, in: .applicationSupportDirectory)
      .mapString(withEncoding: .utf8)
    try immutableFileStorage.makeSyncStorage().set("text", forKey: "a")
    let storage = MemoryStorage<Filename, String>()
      .backed(by: immutableFileStorage)
      .asReadOnlyStorage()
    #expect(try storage.makeSyncStorage().retrieve(forKey: "a") == "text")
    let settings = DiskStorage.main.folder(name, in: .applicationSupportDirectory)
      .singleKey("settings")
    #expect(result { settings.retrieve(completion: $0) }.error?.isNoValue == true)
  }
}
