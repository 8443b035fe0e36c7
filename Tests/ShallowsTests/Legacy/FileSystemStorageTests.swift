import Foundation
import Shallows
import Testing

/// Code that uses what is deprecated: a function that is deprecated itself may, and a protocol lets it be called.
private protocol DeprecatedUse {
  func run() async throws
}

@Suite struct FileSystemStorageTests {
  @Test func `It is the folder of the newer storage, with the same files`() async throws {
    let use: any DeprecatedUse = Use()
    try await use.run()
  }
}

private struct Use: DeprecatedUse {
  private let name = "shallows-tests-\(UUID().uuidString)"

  @available(*, deprecated)
  func run() async throws {
    let newer = DiskStorage.main.folder(name, in: .cachesDirectory)
    newer.clearsOnDeinit = true
    let older = FileSystemStorage.inDirectory(.cachesDirectory, appending: name)
    #expect(older.storageName == "disk-\(name)")
    let strings = older.mapString().usingStringKeys().makeSyncStorage()
    try strings.set("Kharkiv", forKey: "city")
    #expect(try newer.makeSyncStorage().retrieve(forKey: "city") == Data("Kharkiv".utf8))
    #expect(try strings.retrieve(forKey: "city") == "Kharkiv")
    var keys: [Filename] = []
    for try await key in older.keys() { keys.append(key) }
    #expect(keys == ["city"])
    try strings.remove(forKey: "city")
    #expect(try newer.filenames().isEmpty)
    try strings.set("Lviv", forKey: "city")
    try strings.removeAll()
    #expect(try newer.filenames().isEmpty)
  }
}
