import Foundation
import Sediment
import Testing
import Vellum

private struct Draft: ArchiveCodable, Equatable {
  var primaryKey: String
  var text = ""
}

#if os(macOS) || os(Linux)
  /// A program that is started while it runs already: the process of the tests takes the place of the first.
  @Suite struct SecondProcessTests {
    private let folders = UserFolders()

    /// The file that a run has left.
    private func file() throws -> URL {
      try #require(folders.files.first { $0.lastPathComponent == "archives.sediment" })
    }

    private func record(_ key: String) async {
      await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String, key = key as String] in
        enter(path)
        try ArchivesFactory.shared.archives(for: Draft.self).record(Draft(primaryKey: key))
        exit(0)
      }
    }

    @Test func `A second process is told that another has the archives, and goes on once that has ended`()
      async throws
    {
      await record("first")
      let store = try SedimentStore(url: file())
      // The second process says by a file that it has seen the refusal.
      let sign = folders.path + "/refused"
      let thread = Thread {
        while !FileManager.default.fileExists(atPath: sign) { usleep(1_000) }
        try? store.close()
      }
      thread.start()
      await #expect(processExitsWith: .exitCode(0)) {
        [path = folders.path as String, sign = sign as String] in
        enter(path)
        let failures = FailureList()
        ArchivesFactory.shared.observer = { failures.add($0) }
        let error = #expect(throws: VellumError.self) { try ArchivesFactory.shared.archives(for: Draft.self) }
        #expect(error?.code == .locked)
        // What does not throw tells the observer, and keeps nothing that would be gone with the process.
        Draft(primaryKey: "second").updateArchive()
        #expect(Draft(primaryKey: "first").archivedVersion() == nil)
        #expect(failures.of("draft").map(\.operation) == [.recording, .accessing])
        #expect(failures.of("draft").map(\.error.code) == [.locked, .locked])
        _ = FileManager.default.createFile(atPath: sign, contents: nil)
        var drafts: ArchiveManager<Draft>?
        while drafts == nil {
          drafts = try? ArchivesFactory.shared.archives(for: Draft.self)
          usleep(1_000)
        }
        drafts?.record(Draft(primaryKey: "second"))
        #expect(drafts?.accessAll().map(\.primaryKey) == ["first", "second"])
        exit(0)
      }
      #expect(folders.files.filter { $0.pathExtension == "sediment" }.count == 1)
      let after = try SedimentStore(url: file())
      #expect(try after.collection("archive:draft").count() == 2)
      try after.close()
    }

    @Test func `A second process leaves the files that it would import`() async throws {
      await record("first")
      let store = try SedimentStore(url: file())
      await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String] in
        enter(path)
        let folder = URL(fileURLWithPath: path + "/vellum_draft")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("a.vlm")
        try Draft(primaryKey: "a", text: "imported").archiveData().write(to: file)
        let error = #expect(throws: VellumError.self) { try ArchivesFactory.shared.importing(folder: folder) }
        #expect(error?.code == .locked)
        exit(FileManager.default.fileExists(atPath: file.path) ? 0 : 4)
      }
      try store.close()
    }

    @Test func `A file of the program's own that another process has is an error to catch`() async throws {
      let file = folders.path + "/own.sediment"
      let store = try SedimentStore(path: file)
      await #expect(processExitsWith: .exitCode(3)) { [file = file as String] in
        do {
          _ = try ArchivesFactory(file: URL(fileURLWithPath: file)).archives(for: Draft.self)
        } catch let error as VellumError where error.code == .locked {
          exit(3)
        }
        exit(0)
      }
      try store.close()
    }

    @Test func `A process that is about to end is waited for`() async throws {
      await record("first")
      let store = try SedimentStore(url: file())
      // The second process says that it waits by the file that it makes before it asks.
      let sign = folders.path + "/asking"
      let thread = Thread {
        while !FileManager.default.fileExists(atPath: sign) { usleep(1_000) }
        // It asks meanwhile, in vain at first.
        usleep(300_000)
        try? store.close()
      }
      thread.start()
      await #expect(processExitsWith: .exitCode(0)) {
        [path = folders.path as String, sign = sign as String] in
        enter(path)
        _ = FileManager.default.createFile(atPath: sign, contents: nil)
        let drafts = try ArchivesFactory.shared.archives(for: Draft.self)
        #expect(drafts.access(archiveWithKey: "first") != nil)
        exit(0)
      }
    }
  }
#endif
