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
    // The same bytes each time, which JSON is not by itself.
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    try encoder.encode(person).write(to: file)
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

  @Test func `An archive that is there stays, and so does a file with another one, older or newer`() throws {
    let fixture = try ArchiveFixture()
    let people = try fixture.factory.archives(for: Person.self)
    people.insert(Person("old", age: 1), Person("new", age: 1))
    try withFolder([Person("old", age: 2), Person("other", age: 2)]) { folder in
      try write(Person("new", age: 2), second: 2_000_000_000, to: folder)
      let report = try fixture.factory.importing(folder: folder)
      #expect(report.importedCount == 1 && report.presentCount == 0)
      #expect(report.otherFiles.map(\.lastPathComponent) == ["old.vlm", "new.vlm"])
      #expect(try names(in: folder) == ["new.vlm", "old.vlm"])
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

  /// What the archives have under their keys, and the files of a folder.
  private func contents(_ fixture: ArchiveFixture, _ folder: URL) throws -> [String: Set<Int>] {
    var people = try fixture.archives(of: Person.self, disk: 1 << 30).throwing.accessAll()
    for name in try names(in: folder) {
      let data = try Data(contentsOf: folder.appendingPathComponent(name))
      people.append(try Person.decode(codableArchive: data))
    }
    return Dictionary(grouping: people, by: \.name).mapValues { Set($0.map(\.age)) }
  }

  @Test func `An import loses nothing whichever call of the disk fails, and whatever is not synced is gone`()
    throws
  {
    var (call, isReached) = (0, true)
    while isReached {
      let options = SedimentOptions(durability: .unsynced, access: .unmapped, compression: .off)
      let fixture = try ArchiveFixture(options: options)
      try fixture.archives(of: Person.self, disk: 1 << 30).insert(Person("b", age: 7), Person("c", age: 3))
      try fixture.store.sync()
      try withFolder([Person("a", age: 1), Person("b", age: 2), Person("c", age: 3)]) { folder in
        let before = try contents(fixture, folder)
        try fixture.store.sync()
        let index = fixture.disk.callCount + call
        fixture.disk.inject(.error(.inputOutput), atCall: index)
        _ = try? fixture.factory.importing(folder: folder)
        isReached = fixture.disk.callCount > index
        let restarted = try ArchiveFixture(options: options, on: fixture.disk.afterPowerLoss(.nothing))
        #expect(try contents(restarted, folder) == before, "call \(call)")
      }
      call += 1
    }
    #expect(call > 2)
  }

  @Test(arguments: 0..<20)
  func `Imports of several folders take no archive away that is not there`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let fixture = try ArchiveFixture()
    try withFolder([]) { folder in
      for _ in 0..<100 {
        let person = Person(
          "\(Int.random(in: 0..<12, using: &random))", age: Int.random(in: 0..<3, using: &random))
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
          let before = try contents(fixture, folder)
          let count = try names(in: folder).count
          let report = try fixture.factory.importing(folder: folder)
          #expect(try contents(fixture, folder) == before)
          #expect(report.importedCount + report.presentCount + report.otherFiles.count == count)
          #expect(try names(in: folder).count == report.otherFiles.count)
        case 1: try fixture.archives(of: Person.self, disk: 1 << 30).record(person)
        default: try write(person, second: Int.random(in: 1..<2_000_000_000, using: &random), to: folder)
        }
      }
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
