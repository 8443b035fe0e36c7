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

    @Test func `A second process has archives of its own for its run, and says so`() async throws {
      await record("first")
      let store = try SedimentStore(url: file())
      let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
        [path = folders.path as String] in
        enter(path)
        let drafts = try ArchivesFactory.shared.archives(for: Draft.self)
        #expect(drafts.access(archiveWithKey: "first") == nil)
        drafts.record(Draft(primaryKey: "second", text: "kept as long as this runs"))
        #expect(drafts.access(archiveWithKey: "second")?.text == "kept as long as this runs")
        try drafts.throwing.sync()
        exit(0)
      }
      let lines = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
      #expect(lines.filter { $0.hasPrefix("Vellum: The archives of this run are its own") }.count == 1)
      try store.close()
      #expect(folders.files.count == 1)
      await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String] in
        enter(path)
        let drafts = try ArchivesFactory.shared.archives(for: Draft.self)
        #expect(drafts.accessAll().map(\.primaryKey) == ["first"])
        exit(0)
      }
    }

    @Test func `A second process leaves the files that it imports`() async throws {
      await record("first")
      let store = try SedimentStore(url: file())
      await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String] in
        enter(path)
        let folder = URL(fileURLWithPath: path + "/vellum_draft")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appendingPathComponent("a.vlm")
        try Draft(primaryKey: "a", text: "imported").archiveData().write(to: file)
        #expect(try ArchivesFactory.shared.importing(folder: folder).importedCount == 1)
        let drafts = try ArchivesFactory.shared.archives(for: Draft.self)
        #expect(drafts.access(archiveWithKey: "a")?.text == "imported")
        exit(FileManager.default.fileExists(atPath: file.path) ? 0 : 4)
      }
      try store.close()
    }

    @Test func `The observer is told of it once, with the code`() async throws {
      await record("first")
      let store = try SedimentStore(url: file())
      await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String] in
        enter(path)
        let failures = FailureList()
        ArchivesFactory.shared.observer = { failures.add($0) }
        let drafts = try ArchivesFactory.shared.archives(for: Draft.self)
        drafts.record(Draft(primaryKey: "second"))
        drafts.deleteAll()
        #expect(failures.of("draft").map(\.operation) == [.opening])
        #expect(failures.of("draft").map(\.error.code) == [.locked])
        exit(0)
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
