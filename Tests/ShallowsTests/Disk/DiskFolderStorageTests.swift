import Foundation
import Shallows
import Testing

@Suite struct DiskFolderStorageTests {
  private let scratch: ScratchFolder

  init() throws { scratch = try ScratchFolder() }

  private func folder(_ encoder: Filename.Encoder) -> DiskFolderStorage {
    DiskFolderStorage(folderURL: scratch.file("f"), filenameEncoder: encoder)
  }

  @Test func `A value is the file of its encoded name, and folders are named for their last component`()
    throws
  {
    let folder = DiskFolderStorage(folderURL: scratch.file("cities"))
    #expect(folder.storageName == "disk-cities")
    #expect(folder.folderURL == scratch.file("cities"))
    let sync = folder.makeSyncStorage()
    #expect(sync.storageName == "disk-cities-sync")
    try sync.set(Data([1, 2]), forKey: "kharkiv")
    #expect(try scratch.bytes(of: "cities/a2hhcmtpdg==") == Data([1, 2]))
    #expect(folder.fileURL(forFilename: "kharkiv").path == scratch.file("cities/a2hhcmtpdg==").path)
    #expect(try sync.retrieve(forKey: "kharkiv") == Data([1, 2]))
  }

  @Test func `Each encoder has files of its own`() throws {
    try folder(.noEncoding).makeSyncStorage().set(Data([1]), forKey: "a?b#c%2Fd e")
    try folder(.base64URL).makeSyncStorage().set(Data([2]), forKey: "\u{3}??~~~")
    try folder(.custom { "\($0.rawValue).json" }).makeSyncStorage().set(Data([3]), forKey: "a")
    #expect(try scratch.files() == ["f/Az8_fn5-", "f/a.json", "f/a?b#c%2Fd e"])
  }

  @Test func `A missing file is no value, before the folder is there and after`() throws {
    let sync = folder(.base64URL).makeSyncStorage()
    let before = try #require(throws: (any Error).self) { try sync.retrieve(forKey: "a") }
    #expect(before.isNoValue && !scratch.exists("f"))
    try sync.set(Data(), forKey: "b")
    let after = try #require(throws: (any Error).self) { try sync.retrieve(forKey: "a") }
    #expect(after.isNoValue)
  }

  @Test func `A slash makes a directory without encoding and in Base64`() throws {
    let plain = folder(.noEncoding).makeSyncStorage()
    try plain.set(Data([1]), forKey: "https://host/path/name")
    #expect(try plain.retrieve(forKey: "https://host/path/name") == Data([1]))
    let encoded = DiskFolderStorage(folderURL: scratch.file("b")).makeSyncStorage()
    try encoded.set(Data([2]), forKey: "\u{3}??~~~")
    #expect(try encoded.retrieve(forKey: "\u{3}??~~~") == Data([2]))
    #expect(try scratch.files() == ["b/Az8/fn5+", "f/https:/host/path/name"])
  }

  @Test(arguments: ["..", "../x", "a/../x", "a/../../x", "/../x", "x/.."])
  func `A name that would leave the folder is refused, and nothing is touched`(_ path: String) throws {
    try scratch.write("outside", to: "x")
    let name = Filename(rawValue: path)
    for folder in [folder(.noEncoding), folder(.custom(\.rawValue))] {
      let sync = folder.makeSyncStorage()
      let refusal = FilenameError.leavesFolder(name)
      #expect(throws: refusal) { try sync.set(Data([1]), forKey: name) }
      #expect(throws: refusal) { try sync.retrieve(forKey: name) }
      #expect(throws: refusal) { try sync.remove(forKey: name) }
    }
    #expect(try scratch.files() == ["x"])
    #expect(try scratch.bytes(of: "x") == Data("outside".utf8))
  }

  @Test func `An absolute path means one below the folder, and dots in names are only dots`() throws {
    try folder(.custom { _ in "/etc/name" }).makeSyncStorage().set(Data([1]), forKey: "a")
    try folder(.noEncoding).makeSyncStorage().set(Data([2]), forKey: "..a/b...")
    #expect(try scratch.files() == ["f/..a/b...", "f/etc/name"])
  }

  @Test func `Empty names and those with NUL are refused where they have no file`() throws {
    for name in ["", ".", "/", "//./"] as [Filename] {
      let sync = folder(.noEncoding).makeSyncStorage()
      #expect(throws: FilenameError.isEmpty(name)) { try sync.set(Data(), forKey: name) }
      #expect(throws: FilenameError.isEmpty(name)) { try sync.remove(forKey: name) }
    }
    for encoder in [.base64URL, .custom { $0.base64Encoded() }] as [Filename.Encoder] {
      let error = try #require(throws: FilenameError.self) {
        try folder(encoder).makeSyncStorage().set(Data(), forKey: "")
      }
      #expect(error == .isEmpty("") && error.storageFailureKind == .notSupported)
    }
    #expect(throws: FilenameError.hasNul("a\0b")) {
      try folder(.noEncoding).makeSyncStorage().set(Data(), forKey: "a\0b")
    }
    try folder(.base64URL).makeSyncStorage().set(Data([1]), forKey: "a\0b")
    #expect(try scratch.files() == ["f/YQBi"])
  }

  @Test func `Removing one leaves the others, and removing all leaves the folder`() throws {
    let sync = folder(.noEncoding).makeSyncStorage()
    for name in ["a", "b/c", "b/d"] as [Filename] { try sync.set(Data([1]), forKey: name) }
    try sync.remove(forKey: "b/c")
    try sync.remove(forKey: "b/c")
    #expect(try scratch.files() == ["f/a", "f/b/d"])
    try sync.removeAll()
    #expect(try scratch.files() == [] && scratch.exists("f") && !scratch.exists("f/b"))
    try FileManager.default.removeItem(at: scratch.file("f"))
    try sync.removeAll()
  }

  @Test func `Removing all takes links, and not what they lead to`() throws {
    try scratch.write("kept", to: "outside/x")
    try FileManager.default.createDirectory(at: scratch.file("f"), withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      at: scratch.file("f/link"), withDestinationURL: scratch.file("outside"))
    try folder(.noEncoding).makeSyncStorage().removeAll()
    #expect(try scratch.files() == ["outside/x"] && !scratch.exists("f/link"))
  }

  @Test func `Clearing removes the folder, and it can be used again`() throws {
    let folder = folder(.noEncoding)
    let sync = folder.makeSyncStorage()
    try sync.set(Data([1]), forKey: "a/b")
    folder.clear()
    #expect(!scratch.exists("f"))
    folder.clear()
    try sync.set(Data([2]), forKey: "a")
    #expect(try sync.retrieve(forKey: "a") == Data([2]))
  }

  @Test func `The folder is removed at the end only if that was asked for`() throws {
    do {
      let folder = folder(.noEncoding)
      #expect(!folder.clearsOnDeinit)
      folder.set(Data([1]), forKey: "a") { _ in }
      _ = try folder.filenames()
    }
    #expect(try scratch.files() == ["f/a"])
    do {
      let folder = folder(.noEncoding)
      folder.clearsOnDeinit = true
      #expect(folder.clearsOnDeinit)
      try folder.makeSyncStorage().set(Data([1]), forKey: "b")
    }
    #expect(!scratch.exists("f"))
  }

  @Test func `A storage of one's own is asked for the files`() throws {
    let files = MemoryStorage<URL, Data>()
    let folder = DiskFolderStorage(
      folderURL: scratch.file("f"), diskStorage: files.asStorage(), filenameEncoder: .noEncoding)
    let sync = folder.makeSyncStorage()
    try sync.set(Data([1]), forKey: "a")
    #expect(files.storage == [scratch.file("f/a"): Data([1])])
    #expect(try sync.retrieve(forKey: "a") == Data([1]))
    try sync.remove(forKey: "a")
    #expect(files.storage == [:])
    #expect(throws: MemoryStorageError.noValue) { try sync.retrieve(forKey: "a") }
  }
}
