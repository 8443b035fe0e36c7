import Foundation
import Testing
import Vellum

private struct Note: ArchiveCodable, Equatable {
  var primaryKey: String { "\(number)" }
  var number: Int
}

/// An object that keeps what it is told, and has a method that is not that of archives.
private struct Folder: Codable, Archivable {
  var primaryKey: String
  var isArchived = false

  /// Puts the folder away.
  func archive() throws -> Data {
    struct CannotBePutAway: Error {}
    throw CannotBePutAway()
  }
}

/// Another file of the tests has one, too.
private struct Item: ArchiveCodable, Equatable {
  var primaryKey: String
  var price: Int
}

private class Account: ArchiveCodable {
  var primaryKey: String
  var balance: Int

  init(_ key: String, balance: Int) {
    primaryKey = key
    self.balance = balance
  }
}

/// An object that cannot become data when it is told so, nor be read when it is told that.
private struct Fragile: Archivable {
  struct Broken: Error {}

  var primaryKey: String
  var breaks = ""

  func archiveData() throws -> Data {
    if breaks == "writing" { throw Broken() }
    return Data("\(primaryKey) \(breaks)".utf8)
  }

  static func decode(archive data: Data) throws -> Archivable {
    let parts = String(decoding: data, as: UTF8.self).split(separator: " ")
    if parts.last == "reading" { throw Broken() }
    return Fragile(primaryKey: String(parts[0]))
  }
}

@Suite struct UseScenarioTests {
  init() {
    #expect(SharedArchives.isReady)
  }

  /// Ten notes in archives that only this test uses.
  private func notes() throws -> ArchiveManager<Note> {
    let notes = try ArchivesFactory.shared.archives(for: Note.self)
    notes.insert(all: (1...10).map(Note.init))
    return notes
  }

  @Test func `A finder, a sorter and a query take in what is called on them`() throws {
    let notes = try notes()
    let (least, greatest): (Int?, Int?) = (3, 8)
    let found = notes.findWhere { finder in
      if let least = least { _ = finder.number(.greater(than: least)) }
      if let greatest = greatest { _ = finder.number(.less(than: greatest)) }
      return finder
    }
    #expect(Set(found.getResults().map(\.number)) == [4, 5, 6, 7])
    let query = notes.sorted { sorter in
      _ = sorter.manual(direction: .ascending) { left, right in
        switch (left.number % 2, right.number % 2) {
        case (0, 1): .leftLessThanRight
        case (1, 0): .leftGreaterThanRight
        default: .leftEqualWithRight
        }
      }
      _ = sorter.number(.descending)
      return sorter
    }
    _ = query.limitResults(by: 2)
    #expect(query.getResults().map(\.number) == [10, 8])
    #expect(query.findWhere { $0.number(.less(than: 10)) } === query)
    #expect(query.getResults().map(\.number) == [8])
    #expect(query.firstResult()?.number == 8 && query.lastResult()?.number == 8)
    for note in found.getResults() { notes.delete(note) }
    #expect(Set(notes.accessAll().map(\.number)) == [1, 2, 3, 8, 9, 10])
  }

  @Test func `Sizes are those of memory and disk together`() throws {
    struct Stone: ArchiveCodable {
      var primaryKey: String
    }
    let stones = try ArchivesFactory.shared.archives(
      for: Stone.self, trySetMaxMemorySize: 100.bytes, trySetMaxDiskSize: 1.kiloBytes)
    let stone = Stone(primaryKey: "a")
    stones.record(stone)
    #expect(stones.maxSize == 1124 && stones.currentSize == stone.sizeOfData + stone.sizeOfData)
    stones.delete(stone)
    #expect(stones.currentSize == .zero)
  }

  @Test func `A method of a Codable type that is called like one of archives is its own`() throws {
    let folders = try ArchivesFactory.shared.archives(for: Folder.self)
    folders.record(Folder(primaryKey: "a", isArchived: true))
    #expect(folders.access(archiveWithKey: "a")?.isArchived == true)
    #expect(
      try JSONDecoder().decode(Folder.self, from: Folder(primaryKey: "b").archiveData()).primaryKey == "b")
  }

  @Test func `Types of one name in two files have archives`() throws {
    let items = try ArchivesFactory.shared.archives(for: Item.self)
    items.record(Item(primaryKey: "chair", price: 100))
    try recordOtherItem()
    #expect(items.access(archiveWithKey: "chair") == Item(primaryKey: "chair", price: 100))
  }

  @Test func `An object that was recorded and is changed then is not changed in its archive`() throws {
    let accounts = try ArchivesFactory.shared.archives(for: Account.self)
    let account = Account("a", balance: 1)
    accounts.record(account)
    account.balance = 2
    #expect(accounts.access(archiveWithKey: "a")?.balance == 1)
    account.updateArchive()
    #expect(accounts.access(archiveWithKey: "a")?.balance == 2 && account.archivedVersion()?.balance == 2)
  }

  @Test func `What cannot be read is left out, and everything else goes on`() throws {
    let archives = try ArchivesFactory.shared.archives(
      for: Fragile.self, trySetMaxMemorySize: 1.bytes, trySetMaxDiskSize: 100.bytes)
    archives.insert(Fragile(primaryKey: "a"), Fragile(primaryKey: "b", breaks: "reading"))
    archives.record(Fragile(primaryKey: "c", breaks: "writing"))
    archives.record(Fragile(primaryKey: "d"))
    #expect(archives.access(archiveWithKey: "nowhere") == nil)
    #expect(Set(archives.accessAll().map(\.primaryKey)) == ["a", "d"])
    archives.delete(keys: "b", "nowhere")
    archives.deleteAll()
    #expect(archives.accessAll().isEmpty)
  }
}
