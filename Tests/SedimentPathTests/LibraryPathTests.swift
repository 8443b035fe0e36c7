import Foundation
import Sediment
import SedimentSupport
import Shallows
import Testing
import Vellum

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Each kind of path for each way into Shallows and Vellum, as the table has it.
struct LibraryPathTests {
  /// Takes a way into a folder storage with each path as a name in it.
  private static func inFolder(_ way: String, _ go: (SyncStorage<Filename, Data>, Filename) throws -> Void)
    throws
  {
    try PathTrial(way).run { path, folder in
      let url = URL(fileURLWithPath: folder.path, isDirectory: true)
      let storage = DiskFolderStorage(folderURL: url, filenameEncoder: .noEncoding).makeSyncStorage()
      do {
        try go(storage, Filename(rawValue: path))
        return nil
      } catch {
        return "\(error.storageFailureKind)"
      }
    }
  }

  @Test func `A folder storage retrieves files alone`() async {
    await #expect(processExitsWith: .success) {
      PathFolder.beginProcess()
      try LibraryPathTests.inFolder("retrieve") { storage, name in _ = try storage.retrieve(forKey: name) }
    }
  }

  @Test func `A folder storage sets files of its folder alone`() async {
    await #expect(processExitsWith: .success) {
      PathFolder.beginProcess()
      try LibraryPathTests.inFolder("set") { storage, name in
        try storage.set(Data([1]), forKey: name)
        #expect(try storage.retrieve(forKey: name) == Data([1]))
      }
    }
  }

  @Test func `A folder storage removes files of its folder alone`() async {
    await #expect(processExitsWith: .success) {
      PathFolder.beginProcess()
      try LibraryPathTests.inFolder("remove") { storage, name in try storage.remove(forKey: name) }
    }
  }

  @Test func `A file that cannot be read stays, keeps no other from moving, and moves with the next import`()
    async
  {
    await #expect(processExitsWith: .success) {
      PathFolder.beginProcess()
      let directory = try PathTrial("").directory
      let url = URL(fileURLWithPath: directory["folder"], isDirectory: true)
      let folder = DiskFolderStorage(folderURL: url, filenameEncoder: .noEncoding)
      for name in ["a", "b", "c"] {
        try folder.makeSyncStorage().set(Data([1]), forKey: Filename(rawValue: name))
      }
      #expect(unsafe chmod(directory["folder/b"], 0) == 0)
      let store = try SedimentStore(path: directory["store"])
      let first = try SedimentStorage(store).importing(folder)
      #expect(first.importedCount == 2 && first.unreadableFiles.map(\.lastPathComponent) == ["b"])
      #expect(try FileManager.default.contentsOfDirectory(atPath: url.path) == ["b"])
      #expect(unsafe chmod(directory["folder/b"], 0o600) == 0)
      let second = try SedimentStorage(store).importing(folder)
      #expect(second.importedCount == 1 && second.unreadableFiles == [])
      #expect(try FileManager.default.contentsOfDirectory(atPath: url.path) == [])
      #expect(try store.count() == 3)
      try store.close()
    }
  }

  @Test func `A file of archives is opened or refused`() async {
    await #expect(processExitsWith: .success) {
      PathFolder.beginProcess()
      try PathTrial("archives").run { path, _ in
        // Foundation would take an empty path for the current directory.
        do {
          let notes = try ArchivesFactory(file: URL(fileURLWithPath: path)).archives(for: Note.self)
          try notes.throwing.insert(Note(text: "a"))
          return nil
        } catch let error as VellumError {
          return (error.underlyingError as? SedimentError)?.code.description ?? error.code.description
        }
      }
    }
  }

  @Test(arguments: ["dangling", "dangling/deeper", "file", "file/deeper"])
  func `The shared archives are refused where their folder cannot be made`(home: String) async {
    await #expect(processExitsWith: .success) { [home = home as String] in
      PathFolder.beginProcess()
      let directory = try PathTrial("").directory
      try FileManager.default.createSymbolicLink(
        atPath: directory["dangling"], withDestinationPath: "nowhere")
      try Data([1]).write(to: URL(fileURLWithPath: directory["file"]))
      unsafe setenv("XDG_DATA_HOME", directory[home], 1)
      let error = #expect(throws: VellumError.self) { try ArchivesFactory.shared.archives(for: Note.self) }
      #expect((error?.underlyingError as? SedimentError)?.code == .notFound)
      #expect(try directory.names == ["dangling", "file", "source"])
    }
  }
}

private struct Note: Archivable, Codable, Sendable {
  var text: String
  var primaryKey: String { text }
}
