import Foundation
import ProgramWithLibrary
import Shallows
import Testing

// What programs have added to the library's types, by names that it has since.
extension StorageProtocol {
  func remove(forKey key: Key, completion: @escaping (ShallowsResult<Void>) -> Void) {
    completion(.failure(Removed.byProgram))
  }

  func keys() -> [String] { ["the program's"] }
}

private enum Removed: Error { case byProgram }

@Suite struct UserExtensionTests {
  private func removes<StorageType: StorageProtocol>(_ storage: StorageType, _ key: StorageType.Key) -> Bool {
    result { storage.remove(forKey: key, completion: $0) }.error is Removed
  }

  @Test func `What a program has added by the same names is what it calls`() {
    let memory = MemoryStorage<String, Int>()
    let folder = DiskStorage.main.folder("none", in: .cachesDirectory, filenameEncoder: .base64URL)
    #expect(result { memory.remove(forKey: "a", completion: $0) }.error is Removed)
    #expect(result { memory.asStorage().remove(forKey: "a", completion: $0) }.error is Removed)
    #expect(result { folder.remove(forKey: "a", completion: $0) }.error is Removed)
    #expect(removes(memory, "a") && removes(memory.mapKeys { (key: Int) in "\(key)" }, 1))
    for key in memory.keys() { #expect(key == "the program's") }
    let keys = [folder.keys(), memory.asStorage().keys(), memory.combined(with: memory).keys()]
    #expect(keys == Array(repeating: ["the program's"], count: 3))
  }

  @Test func `Properties of results that another library has, too, are that library's`() {
    let (told, called) = askWithLibrary()
    #expect(told == ["10", "Success!", "true", "[]"])
    #expect(called == ["value", "isSuccess", "isFailure", "error", "value", "value"])
  }

  @Test func `Initializers and methods may be used as values`() {
    let make = DiskFolderStorage.init
    let folder = make(URL(fileURLWithPath: "/none"), DiskStorage.main.asStorage(), .base64URL)
    #expect(folder.storageName == "disk-none")
    let retrieve = folder.retrieve
    let error = result { retrieve("a", $0) }.error
    #expect((error as? CocoaError)?.code == .fileReadNoSuchFile)
  }

  @Test func `A copy of a thread-safe value is one of its own`() {
    let first = ThreadSafe([1])
    var second = first
    second.write(with: { $0.append(2) })
    #expect(first.read() == [1] && second.read() == [1, 2])
  }
}
