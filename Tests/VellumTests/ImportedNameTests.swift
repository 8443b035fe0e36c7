import Foundation
import Sediment
import SedimentTesting
import Testing
import Vellum

// Types whose names the original writes in another way, and some that it does not.
private struct V2User: ArchiveCodable, Equatable, Sendable { var primaryKey = "a", text = "" }
private struct H264Clip: ArchiveCodable, Equatable, Sendable { var primaryKey = "a", text = "" }
private struct S3Object: ArchiveCodable, Equatable, Sendable { var primaryKey = "a", text = "" }
private struct AES256Key: ArchiveCodable, Equatable, Sendable { var primaryKey = "a", text = "" }
private struct HTTPServer2Log: ArchiveCodable, Equatable, Sendable { var primaryKey = "a", text = "" }
private struct Page<Content: Sendable>: ArchiveCodable, Equatable, Sendable {
  var primaryKey = "a", text = ""
}
private struct PageInt: ArchiveCodable, Equatable, Sendable { var primaryKey = "a", text = "" }
private struct User: ArchiveCodable, Equatable, Sendable { var primaryKey = "a", text = "" }
private struct Named: ArchiveCodable, Equatable, Sendable {
  static var archiveName: String { "our people" }
  var primaryKey = "a", text = ""
}
private struct Prefixed: ArchiveCodable, Equatable, Sendable {
  static var archiveName: String { "vellum_people" }
  var primaryKey = "a", text = ""
}

/// A type, and the folder that the original keeps its archives in.
private struct Folder: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let check: @Sendable (ImportedNameTests, String) throws -> Void

  init<Archive: Archivable & Codable & Equatable & Sendable>(_ name: String, _ archive: Archive) {
    testDescription = name
    check = { try $0.check($1, archive) }
  }

  static let all = [
    Folder("vellum_v_2_user", V2User()), Folder("vellum_h_264_clip", H264Clip()),
    Folder("vellum_s_3_object", S3Object()), Folder("vellum_aes_256_key", AES256Key()),
    Folder("vellum_http_server2_log", HTTPServer2Log()), Folder("vellum_page_int", Page<Int>()),
    Folder("vellum_page_optional_array_string", Page<[String]?>()), Folder("vellum_page_int", PageInt()),
    Folder("vellum_user", User()), Folder("our people", Named()), Folder("vellum_people", Prefixed()),
  ]
}

/// An import that is told no name leaves archives where the type looks, whichever comes first.
@Suite struct ImportedNameTests {
  private let place = FileManager.default.temporaryDirectory
    .appendingPathComponent("vellum-names-\(UUID().uuidString)")

  private func withFolder(_ name: String, _ archive: some ArchiveCodable, _ body: (URL) throws -> Void) throws
  {
    let folder = place.appendingPathComponent(name)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    // The same bytes each time, which JSON is not by itself.
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    try encoder.encode(archive).write(to: folder.appendingPathComponent("a.vlm"))
    try body(folder)
  }

  private func isEmpty(_ folder: URL) throws -> Bool {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty
  }

  @Test(arguments: Folder.all)
  fileprivate func `A folder of the original becomes the archives of its type, in every order`(folder: Folder)
    throws
  {
    try folder.check(self, folder.testDescription)
  }

  fileprivate func check<Archive: ArchiveCodable & Equatable>(_ name: String, _ archive: Archive) throws {
    for step in 0..<3 {
      let fixture = try ArchiveFixture()
      func archives() throws -> [Archive] { try fixture.factory.archives(for: Archive.self).accessAll() }
      if step == 1 { #expect(try archives() == []) }
      if step == 2 {
        #expect(try archives() == [])
        try fixture.restart()
      }
      try withFolder(name, archive) { folder throws in
        #expect(try fixture.factory.importing(folder: folder).importedCount == 1)
        #expect(try isEmpty(folder))
        #expect(try archives() == [archive])
        for _ in 0..<2 {
          try fixture.restart()
          #expect(try archives() == [archive])
        }
      }
      // And once more, to where they lie now.
      try withFolder(name, archive) { folder throws in
        #expect(try fixture.factory.importing(folder: folder).presentCount == 1)
        #expect(try isEmpty(folder))
        #expect(try archives() == [archive])
      }
    }
  }

  @Test func `Archives of one type never become those of another whose folder has the same name`() throws {
    let fixture = try ArchiveFixture()
    try fixture.factory.archives(for: PageInt.self).record(PageInt(text: "mine"))
    for _ in 0..<2 {
      #expect(try fixture.factory.archives(for: Page<Int>.self).accessAll() == [])
      #expect(try fixture.factory.archives(for: PageInt.self).accessAll() == [PageInt(text: "mine")])
      try fixture.restart()
    }
  }

  @Test func `Imported archives belong to the first type that comes for them, in this run and the next`()
    throws
  {
    let fixture = try ArchiveFixture()
    try withFolder("vellum_page_int", Page<Int>(text: "imported")) { folder throws in
      _ = try fixture.factory.importing(folder: folder)
      for isReversed in [false, true] {
        let checks: [() throws -> Void] = [
          { () throws in
            #expect(try fixture.factory.archives(for: Page<Int>.self).accessAll() == [Page(text: "imported")])
          },
          { () throws in #expect(try fixture.factory.archives(for: PageInt.self).accessAll() == []) },
        ]
        for check in isReversed ? checks.reversed() : checks { try check() }
        try fixture.restart()
      }
    }
  }

  @Test func `Where several types may be meant the import says so, and leaves the files`() throws {
    struct Pageint: ArchiveCodable { var primaryKey = "a" }
    let fixture = try ArchiveFixture()
    _ = try fixture.factory.archives(for: Page<Int>.self)
    _ = try fixture.factory.archives(for: Pageint.self)
    try withFolder("vellum_page_int", Page<Int>()) { folder throws in
      let error = #expect(throws: VellumError.self) { try fixture.factory.importing(folder: folder) }
      #expect(error?.code == .invalidArgument && error?.failureReason?.contains("'page<int>'") == true)
      #expect(try !isEmpty(folder))
      #expect(try fixture.factory.importing(folder: folder, as: Page<Int>.archiveName).importedCount == 1)
      #expect(try fixture.factory.archives(for: Page<Int>.self).accessAll() == [Page()])
    }
  }
}
