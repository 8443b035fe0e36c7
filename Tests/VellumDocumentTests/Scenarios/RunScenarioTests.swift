import Foundation
import Testing
import Vellum

/// 100 bytes as JSON.
private struct Page: ArchiveCodable, Equatable {
  var primaryKey: String { name }
  var name: String
  var text = ""

  init(_ name: String) {
    self.name = name
    text = String(repeating: ".", count: 100 - #"{"name":"\#(name)","text":""}"#.utf8.count)
  }
}

private struct Letter: ArchiveCodable, Equatable {
  var primaryKey: String
  var text: String
}

private func pages() throws -> ArchiveManager<Page> {
  try ArchivesFactory.shared.archives(
    for: Page.self, trySetMaxMemorySize: 300.bytes, trySetMaxDiskSize: 300.bytes)
}

#if os(macOS) || os(Linux)
  /// Programs that run several times.
  @Suite struct RunScenarioTests {
    private let folders = UserFolders()

    @Test func `What was recorded in one run is there in the next`() async {
      await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String] in
        enter(path)
        let letters = try ArchivesFactory.shared.archives(for: Letter.self)
        letters.record(Letter(primaryKey: "1", text: "one"))
        letters.insert(Letter(primaryKey: "2", text: "two"), Letter(primaryKey: "3", text: "three"))
        letters.update(Letter(primaryKey: "2", text: "deux"))
        letters.delete(keys: "3")
        exit(0)
      }
      await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String] in
        enter(path)
        let letters = try ArchivesFactory.shared.archives(for: Letter.self)
        #expect(letters.latestAccessedTime(for: "1") != nil && letters.latestAccessedTime(for: "3") == nil)
        #expect(letters.access(archiveWithKey: "1") == Letter(primaryKey: "1", text: "one"))
        #expect(letters.access(archiveWithKey: "2")?.text == "deux")
        #expect(letters.accessAll().count == 2 && letters.access(archiveWithKey: "3") == nil)
        exit(0)
      }
    }

    @Test func `A property that is read or assigned before the size is asked for deletes no archive`() async {
      await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String] in
        enter(path)
        let letters = try ArchivesFactory.shared.archives(for: Letter.self, trySetMaxDiskSize: 50.megaBytes)
        let text = String(repeating: "x", count: 100_000)
        for number in 0..<50 { letters.record(Letter(primaryKey: "\(number)", text: text)) }
        exit(0)
      }
      for run in 1...2 {
        await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String, run = run as Int] in
          enter(path)
          struct Screen {
            @Archived(initialPrimaryKey: "1") var first: Letter?
            @Archived var second: Letter?
          }
          let screen = Screen()
          #expect(screen.first?.text.count == 100_000 && screen.second == nil)
          screen.second = Letter(primaryKey: "run \(run)", text: "")
          #expect(Letter(primaryKey: "2", text: "").archivedVersion() != nil)
          let letters = try ArchivesFactory.shared.archives(for: Letter.self, trySetMaxDiskSize: 50.megaBytes)
          #expect(letters.accessAll().count == 50 + run)
          exit(0)
        }
      }
    }

    @Test func `What a short run has used stays, and what nobody used makes room in the next`() async {
      await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String] in
        enter(path)
        let pages = try pages()
        for name in ["a", "b", "c"] {
          pages.record(Page(name))
          waitForTheClock()
        }
        exit(0)
      }
      await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String] in
        enter(path)
        let pages = try pages()
        #expect(pages.access(archiveWithKey: "a") == Page("a"))
        exit(0)
      }
      await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String] in
        enter(path)
        try pages().record(Page("d"))
        exit(0)
      }
      await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String] in
        enter(path)
        let pages = try pages()
        #expect(pages.accessAll().map(\.name).sorted() == ["a", "c", "d"])
        exit(0)
      }
    }

    @Test func `Recording again is a use as well`() async {
      await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String] in
        enter(path)
        let pages = try pages()
        for name in ["a", "b", "c", "a", "d"] {
          pages.record(Page(name))
          waitForTheClock()
        }
        exit(0)
      }
      await #expect(processExitsWith: .exitCode(0)) { [path = folders.path as String] in
        enter(path)
        let pages = try pages()
        #expect(pages.accessAll().map(\.name).sorted() == ["a", "c", "d"])
        exit(0)
      }
    }
  }
#endif
