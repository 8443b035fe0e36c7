import Foundation
import Testing
import Vellum

private struct Note: ArchiveCodable {
  var primaryKey: String
}

/// An archivist of a program's own, which notes its calls, and leaves updates to the library.
private final class NotingArchivist: Archivist {
  private(set) var calls: [String] = []

  var maxSize: DataSize { .zero }
  var currentSize: DataSize { .zero }
  func latestAccessedTime(for key: String) -> Date? { nil }
  func deleteAllInvalidateArchives(invalidateTimeInterval: TimeInterval) {}
  func record(_ object: Note) { calls.append("record \(object.primaryKey)") }
  func access(archiveWithKey key: String) -> Note? { nil }
  func accessAll(limitedBy limit: Int) -> [Note] { [] }
  func accessAll() -> [Note] { [] }
  func delete(archiveWithKey key: String) { calls.append("delete \(key)") }
  func deleteAll() {}
  func process(queries: [Query<Note>]) -> [Note] { [] }
}

@Suite struct OwnArchivistTests {
  @Test func `An update through an archivist of a program's own deletes, then records`() {
    let archivist = NotingArchivist()
    archivist.update(Note(primaryKey: "a"))
    archivist.insert(Note(primaryKey: "b"), Note(primaryKey: "c"))
    archivist.delete(keys: "b", "c")
    #expect(archivist.calls == ["delete a", "record a", "record b", "record c", "delete b", "delete c"])
  }
}
