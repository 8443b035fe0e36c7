import Foundation
import Sediment
import SedimentDisk
import SedimentTesting
import Testing
import Vellum

@Suite struct ImportingTests {
  private let folders = FileManager.default.temporaryDirectory
    .appendingPathComponent("vellum-import-\(UUID().uuidString)")

  /// A folder with a file for each person, the first changed at second 1, and so on.
  private func withFolder(_ people: [Person], _ body: (URL) throws -> Void) throws {
    let folder = folders.appendingPathComponent("vellum_person")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folders) }
    for (place, person) in people.enumerated() { try write(person, second: place + 1, to: folder) }
    try body(folder)
  }

  private func write(_ person: Person, second: Int, to folder: URL) throws {
    let file = folder.appendingPathComponent(person.name + ".vlm")
    try person.archiveData().write(to: file)
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: Double(second))], ofItemAtPath: file.path)
  }

  private func names(in folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
  }

  @Test func `A folder of files becomes the archives of its type, used when they were`() throws {
    let fixture = try ArchiveFixture()
    try withFolder([Person("b", age: 2), Person("a.vlm", age: 3), Person("é", age: 4)]) { folder in
      let report = try fixture.factory.importing(folder: folder)
      #expect(report.importedCount == 3 && report.presentCount == 0 && report.otherFiles.isEmpty)
      #expect(try names(in: folder).isEmpty)
      let people = try fixture.factory.archives(for: Person.self)
      #expect(people.accessAll() == [Person("b", age: 2), Person("a.vlm", age: 3), Person("é", age: 4)])
      #expect(people.latestAccessedTime(for: "a.vlm") == Date(timeIntervalSince1970: 2))
      #expect(people.diskKeysByUse == ["b", "a.vlm", "é"])
      #expect(report.byteCount == UInt64(people.currentDiskSize.bytes))
      #expect(try people.recount() == nil)
    }
  }

  @Test func `What is more than the size stays until the archives are asked for`() throws {
    let fixture = try ArchiveFixture()
    let everybody = (0..<50).map { Person("\($0)", age: $0) }
    try withFolder(everybody) { folder in
      #expect(try fixture.factory.importing(folder: folder).importedCount == 50)
      #expect(try fixture.store.collection("archive:person").count() == 50)
      let people = try fixture.archives(of: Person.self, disk: everybody[49].archiveData().count * 2)
      #expect(people.accessAll() == Array(everybody[48...]))
    }
  }

  @Test func `What is no archive stays, and a link leads nowhere`() throws {
    let fixture = try ArchiveFixture()
    try withFolder([Person("a")]) { folder in
      let secret = folders.appendingPathComponent("secret.vlm")
      try Data("secret".utf8).write(to: secret)
      try Data().write(to: folder.appendingPathComponent("notes.txt"))
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("folder.vlm"), withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(
        at: folder.appendingPathComponent("link.vlm"), withDestinationURL: secret)
      let report = try fixture.factory.importing(folder: folder)
      #expect(report.importedCount == 1)
      #expect(report.otherFiles.map(\.lastPathComponent) == ["folder.vlm", "link.vlm", "notes.txt"])
      #expect(try names(in: folder) == ["folder.vlm", "link.vlm", "notes.txt"])
      #expect(try Data(contentsOf: secret) == Data("secret".utf8))
    }
  }

  @Test func `An archive that is there stays, and a file that is newer does, too`() throws {
    let fixture = try ArchiveFixture()
    let people = try fixture.factory.archives(for: Person.self)
    people.insert(Person("old", age: 1), Person("new", age: 1))
    try withFolder([Person("old", age: 2), Person("other", age: 2)]) { folder in
      try write(Person("new", age: 2), second: 2_000_000_000, to: folder)
      let report = try fixture.factory.importing(folder: folder)
      #expect(report.importedCount == 1 && report.presentCount == 1)
      #expect(report.otherFiles.map(\.lastPathComponent) == ["new.vlm"])
      #expect(try names(in: folder) == ["new.vlm"])
      #expect(
        people.access(archiveWithKey: "old")?.age == 1 && people.access(archiveWithKey: "new")?.age == 1)
      #expect(people.access(archiveWithKey: "other")?.age == 2)
    }
  }

  @Test func `Archives that are in use do not go for a file, which stays`() throws {
    let fixture = try ArchiveFixture()
    let people = try fixture.archives(of: Person.self, disk: 2 * Person("a").archiveData().count)
    people.record(Person("a"))
    try withFolder([Person("b"), Person("c")]) { folder in
      let report = try fixture.factory.importing(folder: folder)
      #expect(report.importedCount == 1 && report.otherFiles.map(\.lastPathComponent) == ["c.vlm"])
      #expect(people.accessAll().map(\.name) == ["a", "b"] && fixture.failures.all.isEmpty)
    }
  }

  @Test func `An import that fails in the middle loses nothing, and the next goes on`() throws {
    let fixture = try ArchiveFixture(
      options: SedimentOptions(durability: .unsynced, access: .unmapped, compression: .off))
    let everybody = (0..<20).map { Person("\($0)", age: $0) }
    try withFolder(everybody) { folder in
      _ = try fixture.store.collection("archive:person")
      fixture.disk.injectForGood(.error(.inputOutput), only: [.write])
      #expect(throws: VellumError.self) { try fixture.factory.importing(folder: folder) }
      #expect(try names(in: folder).count == 20)
      let other = try ArchiveFixture()
      #expect(try other.factory.importing(folder: folder).importedCount == 20)
      // As after a crash between the sync and the removals.
      for (place, person) in everybody.enumerated() { try write(person, second: place + 1, to: folder) }
      let report = try other.factory.importing(folder: folder)
      #expect(report.presentCount == 20 && report.importedCount == 0)
      #expect(try names(in: folder).isEmpty)
      #expect(try other.factory.archives(for: Person.self).accessAll() == everybody)
    }
  }

  @Test func `A file that cannot be removed stays, and the rest is moved`() throws {
    let fixture = try ArchiveFixture()
    try withFolder([Person("a"), Person("b")]) { folder in
      // A file that goes while it is imported can be removed by nobody.
      let report = try fixture.factory.importing(folder: folder, as: nil, moves: true) { report, _ in
        if report.importedCount == 1 {
          try? FileManager.default.removeItem(at: folder.appendingPathComponent("b.vlm"))
        }
      }
      #expect(report.importedCount == 1 && report.otherFiles.map(\.lastPathComponent) == ["b.vlm"])
      #expect(fixture.failures.all.map(\.operation) == [.importing])
      #expect(!"\(fixture.failures.all.map(\.error))".contains("b.vlm"))
      #expect(try names(in: folder).isEmpty)
    }
  }

  @Test func `A name that is given counts, and a folder that is not there is empty`() throws {
    let fixture = try ArchiveFixture()
    struct Citizen: ArchiveCodable {
      static var archiveName: String { "people" }
      var primaryKey: String { name }
      var name: String
    }
    try withFolder([Person("a")]) { folder throws in
      #expect(try fixture.factory.importing(folder: folder, as: Citizen.archiveName).importedCount == 1)
      #expect(try fixture.factory.archives(for: Citizen.self).accessAll().map(\.name) == ["a"])
    }
    let report = try fixture.factory.importing(folder: folders.appendingPathComponent("nowhere"))
    #expect(report == ArchivesImportReport())
    #expect(throws: VellumError.self) {
      try fixture.factory.importing(folder: #require(URL(string: "data:somewhere")))
    }
  }
}
