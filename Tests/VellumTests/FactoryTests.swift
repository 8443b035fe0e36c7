import Foundation
import Sediment
import SedimentTesting
import Shallows
import Testing
import Vellum

@Suite struct FactoryTests {
  /// A folder that is removed with the test.
  private func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("vellum-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  @Test func `The file and its folders are made when archives are first asked for`() throws {
    try withFolder { folder in
      let file = folder.appendingPathComponent("deep/er/archives.sediment")
      let factory = ArchivesFactory(file: file)
      #expect(!FileManager.default.fileExists(atPath: file.path))
      let people = try factory.archives(for: Person.self)
      people.record(Person("Ada"))
      #expect(FileManager.default.fileExists(atPath: file.path))
      #expect(try factory.archives(for: Person.self) === people)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: file.deletingLastPathComponent().path).count == 1)
    }
  }

  @Test func `Factories of one file share it however it is named, and it is closed with the last`() throws {
    try withFolder { folder in
      let file = folder.appendingPathComponent("a.sediment")
      let link = folder.appendingPathComponent("link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
      func share() throws {
        let one = try ArchivesFactory(file: file).archives(for: Person.self)
        let other = ArchivesFactory(file: link.appendingPathComponent("./a.sediment"))
        one.record(Person("Ada"))
        #expect(try other.archives(for: Person.self).access(archiveWithKey: "Ada") != nil)
        #expect(throws: SedimentError.self) { try SedimentStore(path: file.path) }
      }
      try share()
      let store = try SedimentStore(path: file.path)
      #expect(try store.collection("archive:person").count() == 1)
      try store.close()
    }
  }

  /// An archive that asks for the shared factory when it is let go.
  private final class Leaving: Archivable {
    let primaryKey = "leaving"
    let leaves: Bool

    init(leaves: Bool) { self.leaves = leaves }

    deinit { if leaves { _ = ArchivesFactory.shared } }

    func archiveData() throws -> Data { Data("leaving".utf8) }
    static func decode(archive data: Data) throws -> any Archivable { Leaving(leaves: true) }
  }

  @Test func `What goes with the shared factory may ask for the one that takes its place`() async {
    await #expect(processExitsWith: .exitCode(0)) {
      for _ in 0..<2 {
        let store = try SedimentStore(path: "data/archives", disk: SimulatedDisk(seed: 1))
        ArchivesFactory.shared = ArchivesFactory(store: store)
        let archives = try ArchivesFactory.shared.archives(for: Leaving.self, identity: .shared)
        archives.record(Leaving(leaves: true))
      }
      exit(0)
    }
  }

  @Test func `Async changes of a synced file share the wait for it`() async throws {
    let store = try SedimentStore(
      path: "data/archives", options: SedimentOptions(durability: .synced), disk: SimulatedDisk(seed: 1))
    let blocks = try ArchivesFactory(store: store).archives(for: Block.self)
    blocks.record(Block("first", byteCount: 10))
    let count = store.statistics.syncCount
    try await blocks.asynchronous.insert(all: (0..<10).map { Block("\($0)", byteCount: 10) })
    #expect(store.statistics.syncCount - count <= 2)
    try await blocks.asynchronous.delete(allKeys: (0..<10).map { "\($0)" })
    #expect(store.statistics.syncCount - count <= 4)
    // Without tasks each waits by itself, as the store says.
    blocks.insert(all: (0..<10).map { Block("\($0)", byteCount: 10) })
    #expect(store.statistics.syncCount - count >= 10)
    try store.close()
  }

  @Test func `A file that cannot be opened is an error, and is tried again`() throws {
    try withFolder { folder in
      let file = folder.appendingPathComponent("a.sediment")
      try Data("something else, which is not a store at all".utf8).write(to: file)
      let factory = ArchivesFactory(file: file)
      let error = #expect(throws: VellumError.self) { try factory.archives(for: Person.self) }
      #expect(error?.code == .store && error?.underlyingError is SedimentError)
      try FileManager.default.removeItem(at: file)
      try factory.archives(for: Person.self).record(Person("Ada"))
    }
  }

  @Test func `Storages of Shallows may have the same file open`() throws {
    try withFolder { folder in
      let file = folder.appendingPathComponent("both.sediment")
      let storage = SedimentStorage(url: file).usingStringKeys()
      try storage.makeSyncStorage().set(Data([1]), forKey: "a")
      let people = try ArchivesFactory(file: file).archives(for: Person.self)
      people.record(Person("Ada"))
      #expect(try storage.makeSyncStorage().retrieve(forKey: "a") == Data([1]))
    }
  }

  @Test func `A URL that is not of a file is an error`() throws {
    let url = try #require(URL(string: "data:somewhere"))
    let error = #expect(throws: VellumError.self) {
      try ArchivesFactory(file: url).archives(for: Person.self)
    }
    #expect(error?.code == .invalidArgument)
  }

  @Test func `Factories of one store share it`() throws {
    let fixture = try ArchiveFixture()
    let one = try ArchivesFactory(store: fixture.store).archives(for: Person.self)
    let other = try ArchivesFactory(store: fixture.store).archives(for: Person.self)
    one.record(Person("Ada"))
    #expect(other.access(archiveWithKey: "Ada") != nil)
    other.deleteAll()
    #expect(one.accessAll().isEmpty)
  }

  @Test func `Default sizes count for archives that are asked for without a size`() throws {
    let fixture = try ArchiveFixture()
    let factory = fixture.factory
    #expect(factory.defaultMaxMemorySize == 1.megaBytes && factory.defaultMaxDiskSize == 2.megaBytes)
    factory.defaultMaxMemorySize = 30.kiloBytes
    factory.defaultMaxDiskSize = 20.kiloBytes
    let people = try factory.archives(for: Person.self, trySetMaxMemorySize: 10)
    let blocks = try factory.archives(for: Block.self, trySetMaxDiskSize: -1)
    #expect(people.maxSize == 20.kiloBytes + 10 && blocks.maxSize == 50.kiloBytes)
    #expect(try factory.archives(for: Person.self, trySetMaxDiskSize: 1.gigaBytes) === people)
  }

  @Test func `The default file has a folder of the program's own`() {
    let file = ArchivesFactory.defaultFile
    #expect(file.lastPathComponent == "archives.sediment")
    #expect(file.deletingLastPathComponent().lastPathComponent == "Vellum")
    let program = file.deletingLastPathComponent().deletingLastPathComponent().lastPathComponent
    #expect([ProcessInfo.processInfo.processName, Bundle.main.bundleIdentifier].contains(program))
  }

  @Test func `A name that no collection can have is an error`() throws {
    struct Nameless: ArchiveCodable {
      static var archiveName: String { String(repeating: "n", count: 250) }
      var primaryKey: String { "" }
    }
    let fixture = try ArchiveFixture()
    #expect(throws: VellumError.self) { try fixture.archives(of: Nameless.self) }
  }

  @Test func `Names are in snake case`() {
    struct URLArchive: ArchiveCodable { var primaryKey: String { "" } }
    struct HTTPServer2Log: ArchiveCodable { var primaryKey: String { "" } }
    struct simple_name: ArchiveCodable { var primaryKey: String { "" } }
    #expect(Person.archiveName == "person")
    #expect(URLArchive.archiveName == "url_archive")
    #expect(HTTPServer2Log.archiveName == "http_server2_log")
    #expect(simple_name.archiveName == "simple_name")
  }

  @Test func `Comparisons of two are those of the language`() {
    #expect(max(1, 2) == 2 && min(1, 2) == 1 && max(DataSize.bytes(3), 2) == 3)
  }
}
