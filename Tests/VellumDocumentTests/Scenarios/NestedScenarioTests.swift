import Foundation
import Testing
import Vellum

private struct Writer: ArchiveCodable, Equatable {
  var primaryKey: String { name }
  var name: String
  var born = 0
  var teacher: Teacher?
}

private struct Teacher: ArchiveCodable, Equatable {
  var primaryKey: String
}

/// Says nothing of its properties.
private struct Novel: ArchiveCodable {
  var primaryKey: String { title }
  var title: String
  var author: Writer
  var editor: Writer?
  var others: [Writer] = []
}

private struct Anthology: ArchiveCodable {
  static var archivePropertyBehavior: ArchivePropertyBehavior { .replaceExisting }
  var primaryKey: String { title }
  var title: String
  var author: Writer
}

private struct Leaflet: ArchiveCodable {
  static var archivePropertyBehavior: ArchivePropertyBehavior { .ignore }
  var primaryKey: String { title }
  var title: String
  var author: Writer
}

private class Work: ArchiveCodable {
  var primaryKey: String
  var author: Writer

  init(_ key: String, by author: Writer) {
    primaryKey = key
    self.author = author
  }
}

private final class Translation: Work {}

@Suite(.serialized) struct NestedScenarioTests {
  private let writers: ArchiveManager<Writer>
  private let teachers: ArchiveManager<Teacher>

  init() throws {
    #expect(SharedArchives.isReady)
    writers = try ArchivesFactory.shared.archives(for: Writer.self)
    teachers = try ArchivesFactory.shared.archives(for: Teacher.self)
    writers.deleteAll()
    teachers.deleteAll()
  }

  private var names: [String] { writers.accessAll().map(\.name).sorted() }

  @Test func `Archives in an object are recorded with it, and theirs too`() throws {
    let novels = try ArchivesFactory.shared.archives(for: Novel.self)
    let author = Writer(name: "a", teacher: Teacher(primaryKey: "t"))
    novels.record(Novel(title: "1", author: author, editor: Writer(name: "e"), others: [Writer(name: "o")]))
    #expect(names == ["a", "e"] && teachers.access(archiveWithKey: "t") != nil)
  }

  @Test func `Those that are there stay as they are`() throws {
    let novels = try ArchivesFactory.shared.archives(for: Novel.self)
    novels.record(Novel(title: "1", author: Writer(name: "a", born: 1)))
    novels.record(Novel(title: "2", author: Writer(name: "a", born: 2)))
    Novel(title: "3", author: Writer(name: "a", born: 3)).archiveArchivableProperties()
    Novel(title: "3", author: Writer(name: "b", born: 3)).archiveArchivablePropertiesIfNeeded()
    #expect(writers.access(archiveWithKey: "a")?.born == 1 && names == ["a", "b"])
  }

  @Test func `They are replaced where the type says so`() throws {
    writers.record(Writer(name: "a", born: 1))
    try ArchivesFactory.shared.archives(for: Anthology.self)
      .record(Anthology(title: "1", author: Writer(name: "a", born: 2)))
    #expect(writers.access(archiveWithKey: "a")?.born == 2)
    Anthology(title: "1", author: Writer(name: "a", born: 3)).archiveArchivableProperties()
    #expect(writers.access(archiveWithKey: "a")?.born == 3)
  }

  @Test func `And left alone where it says that, whatever is called`() throws {
    let leaflet = Leaflet(title: "1", author: Writer(name: "a"))
    try ArchivesFactory.shared.archives(for: Leaflet.self).record(leaflet)
    leaflet.updateArchive()
    leaflet.archiveArchivableProperties()
    leaflet.archiveArchivablePropertiesIfNeeded()
    #expect(names.isEmpty)
  }

  @Test func `Inherited properties are properties`() throws {
    try ArchivesFactory.shared.archives(for: Translation.self)
      .record(Translation("t", by: Writer(name: "a")))
    #expect(names == ["a"])
  }
}
