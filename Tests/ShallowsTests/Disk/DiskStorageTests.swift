import Foundation
import Shallows
import Testing

@Suite struct DiskStorageTests {
  private let scratch: ScratchFolder
  private let disk = DiskStorage()
  private let storage: SyncStorage<URL, Data>

  init() throws {
    scratch = try ScratchFolder()
    storage = disk.makeSyncStorage()
  }

  @Test func `What is set is the file's bytes, and is retrieved`() throws {
    try storage.set(Data("first".utf8), forKey: scratch.file("a"))
    #expect(try scratch.bytes(of: "a") == Data("first".utf8))
    try storage.set(Data("2".utf8), forKey: scratch.file("a"))
    #expect(try storage.retrieve(forKey: scratch.file("a")) == Data("2".utf8))
    try storage.set(Data(), forKey: scratch.file("a"))
    #expect(try storage.retrieve(forKey: scratch.file("a")) == Data())
    #expect(try scratch.files() == ["a"])
  }

  @Test func `Its name is disk, and that of its directories is made of the file's`() {
    #expect(disk.storageName == "disk")
    #expect(DiskStorage.directoryURL(of: scratch.file("a/b")).path == scratch.file("a").path)
  }

  @Test func `A missing file is no value, and neither is a directory of its name`() throws {
    let missing = try #require(throws: (any Error).self) { try storage.retrieve(forKey: scratch.file("a")) }
    #expect(missing.isNoValue)
    #expect((missing as? CocoaError)?.code == .fileReadNoSuchFile)
    let directory = try #require(throws: (any Error).self) { try storage.retrieve(forKey: scratch.url) }
    #expect(directory.isNoValue && directory is CocoaError)
  }

  @Test func `Missing directories are made`() throws {
    try storage.set(Data([1]), forKey: scratch.file("a/b/c"))
    #expect(try scratch.bytes(of: "a/b/c") == Data([1]))
  }

  @Test func `Missing directories are not made if it is told not to`() throws {
    let storage = DiskStorage(creatingDirectories: false).makeSyncStorage()
    let error = try #require(throws: DiskStorage.Error.self) {
      try storage.set(Data([1]), forKey: scratch.file("a/b"))
    }
    guard case .cantCreateFile = error else { throw error }
    #expect(!error.isNoValue)
    #expect(try scratch.files() == [] && !scratch.exists("a"))
    try storage.set(Data([1]), forKey: scratch.file("b"))
    #expect(try scratch.bytes(of: "b") == Data([1]))
  }

  @Test func `A file where a directory should be is told with what the system says`() throws {
    try scratch.write("x", to: "a")
    let error = try #require(throws: DiskStorage.Error.self) {
      try storage.set(Data([1]), forKey: scratch.file("a/b"))
    }
    guard case .cantCreateDirectory(let underlying) = error else { throw error }
    #expect(underlying is CocoaError)
    #expect(try scratch.bytes(of: "a") == Data("x".utf8))
  }

  @Test func `A directory where the file should be is told, and stays`() throws {
    try scratch.write("x", to: "a/b")
    let error = try #require(throws: DiskStorage.Error.self) {
      try storage.set(Data([1]), forKey: scratch.file("a"))
    }
    guard case .cantCreateFile = error else { throw error }
    #expect(try scratch.files() == ["a/b"])
  }

  @Test func `A name too long for the file system is no value, and setting keeps the system's error`() throws
  {
    let file = scratch.file(String(repeating: "n", count: 256))
    let setting = try #require(throws: CocoaError.self) { try storage.set(Data([1]), forKey: file) }
    #expect(setting.code == .fileWriteInvalidFileName)
    let retrieving = try #require(throws: CocoaError.self) { try storage.retrieve(forKey: file) }
    #expect(retrieving.isNoValue && !setting.isNoValue)
    try storage.remove(forKey: file)
    #expect(try scratch.files() == [])
  }

  @Test func `Keys that are no files are refused before anything is loaded`() throws {
    let page = try #require(URL(string: "http://127.0.0.1:1/page"))
    let reading = try #require(throws: CocoaError.self) { try storage.retrieve(forKey: page) }
    #expect(reading.code == .fileReadUnsupportedScheme)
    let writing = try #require(throws: CocoaError.self) { try storage.set(Data(), forKey: page) }
    #expect(writing.code == .fileWriteUnsupportedScheme)
    let removing = try #require(throws: CocoaError.self) { try storage.remove(forKey: page) }
    #expect(removing.code == .fileWriteUnsupportedScheme)
  }

  @Test func `Removing takes the file, and is no failure where there is none`() throws {
    try scratch.write("x", to: "a")
    try storage.remove(forKey: scratch.file("a"))
    #expect(try scratch.files() == [])
    try storage.remove(forKey: scratch.file("a"))
    try storage.remove(forKey: scratch.file("nowhere/a"))
  }

  @Test func `Where there can be no file, there is no value, and removing it is no failure`() throws {
    try scratch.write("x", to: "a/b")
    // A directory, and a name below a file.
    for path in ["a", "a/b/c", "a/b/c/d"] {
      let error = try #require(throws: CocoaError.self) { try storage.retrieve(forKey: scratch.file(path)) }
      #expect(error.isNoValue)
      try storage.remove(forKey: scratch.file(path))
    }
    #expect(try scratch.files() == ["a/b"])
  }

  @Test func `Not all files of the disk are removed, and none is listed`() throws {
    #expect(throws: StorageError.notSupported(.removingAll, storageName: "disk")) { try storage.removeAll() }
  }

  @Test func `It works by completions and in tasks, too`() async throws {
    try await disk.set(Data([7]), forKey: scratch.file("a"))
    #expect(try await disk.retrieve(forKey: scratch.file("a")) == Data([7]))
    let result = await withCheckedContinuation { continuation in
      disk.retrieve(forKey: scratch.file("a")) { continuation.resume(returning: $0) }
    }
    #expect(result.value == Data([7]))
  }
}
