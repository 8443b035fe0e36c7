import Foundation
import Testing
import Vellum

private struct Song: Codable, Archivable {
  var primaryKey: String { title }
  var title: String
  var year: Int
}

private struct Album: ArchiveCodable, Equatable {
  var primaryKey: String { name }
  var name: String
}

/// Says itself how it becomes data, by the names that the documents use.
private class Singer: Archivable {
  var primaryKey: String { stageName }
  var stageName: String = ""
  var songCount: Int = 0

  init(stageName: String, songCount: Int) {
    self.stageName = stageName
    self.songCount = songCount
  }

  func archive() throws -> Data {
    Data("\(songCount) \(stageName)".utf8)
  }

  static func deArchive(fromData data: Data) throws -> Archivable {
    let parts = String(decoding: data, as: UTF8.self).split(separator: " ", maxSplits: 1)
    return Singer(stageName: String(parts[1]), songCount: Int(parts[0]) ?? 0)
  }
}

/// The same by the names of the protocol's requirements.
private struct Label: Archivable {
  var primaryKey: String
  func archiveData() throws -> Data { Data(primaryKey.utf8) }
  static func decode(archive data: Data) throws -> Archivable {
    Label(primaryKey: String(decoding: data, as: UTF8.self))
  }
}

private struct Ticket: ArchiveCodable {
  var primaryKey: String { "\(number)" }
  var number: Int
}

@Suite struct BasicUseTests {
  init() {
    #expect(SharedArchives.isReady)
  }

  @Test func `Objects are recorded and accessed by their keys`() throws {
    let archives = try ArchivesFactory.shared.archives(
      for: Song.self,
      trySetMaxMemorySize: 10.megaByte,
      trySetMaxDiskSize: 20.megaByte
    )
    archives.record(Song(title: "Vesna", year: 1999))
    let object = archives.access(archiveWithKey: "Vesna")
    #expect(object?.year == 1999)
    #expect(archives.access(archiveWithKey: "Zyma") == nil)
    #expect(archives.maxSize == 30.megaBytes && archives.currentSize > 0)
    #expect(archives.latestAccessedTime(for: "Vesna") != nil)
  }

  @Test func `A type has one manager, whose sizes are those it was first asked for with`() throws {
    let archives = try ArchivesFactory.shared.archives(
      for: Album.self, trySetMaxMemorySize: 10.kiloByte, trySetMaxDiskSize: 20.kiloByte)
    let sameArchives: ArchiveManager<Album> = try ArchivesFactory.shared.archives(
      trySetMaxMemorySize: 30.kiloByte, trySetMaxDiskSize: 40.kiloByte)
    #expect(archives === sameArchives)
    #expect(sameArchives.maxSize == 30.kiloBytes)
  }

  @Test func `Types without sizes get the default ones`() throws {
    let archives = try ArchivesFactory.shared.archives(for: Ticket.self)
    #expect(ArchivesFactory.shared.defaultMaxMemorySize == 1.megaBytes)
    #expect(ArchivesFactory.shared.defaultMaxDiskSize == 2.megaBytes)
    #expect(archives.maxSize == 3.megaBytes)
  }

  @Test func `A class that makes its data itself is archived, and its objects are not shared`() throws {
    let singers: ArchiveManager<Singer> = try ArchivesFactory.shared.archives()
    let singer = Singer(stageName: "Ruslana the Wild", songCount: 3)
    singers.record(singer)
    singer.songCount = 4
    let found = singers.access(archiveWithKey: "Ruslana the Wild")
    #expect(found?.songCount == 3 && found !== singer)
    singers.update(singer)
    #expect(singers.access(archiveWithKey: "Ruslana the Wild")?.songCount == 4)
    #expect(singers.currentSize == singer.sizeOfData + singer.sizeOfData && singer.sizeOfData == 18)
  }

  @Test func `A type may use the names of the protocol instead`() throws {
    let labels = try ArchivesFactory.shared.archives(for: Label.self)
    labels.insert(Label(primaryKey: "a"), Label(primaryKey: "bc"))
    #expect(labels.accessAll().map(\.primaryKey) == ["a", "bc"])
    #expect(labels.accessAll(limitedBy: 1).map(\.primaryKey) == ["a"])
    #expect(try Label(primaryKey: "d").archiveData() == Data("d".utf8))
  }

  @Test func `Many are inserted and deleted in all the ways there are`() throws {
    struct Stamp: ArchiveCodable {
      var primaryKey: String
    }
    let stamps: ArchiveManager<Stamp> = try ArchivesFactory.shared.archives()
    stamps.insert(all: "abcdefghij".map { Stamp(primaryKey: String($0)) })
    stamps.delete(archiveWithKey: "a")
    stamps.delete(Stamp(primaryKey: "b"))
    stamps.delete(Stamp(primaryKey: "c"), Stamp(primaryKey: "d"))
    stamps.delete(keys: "e", "nowhere")
    stamps.delete(allKeys: ["f"])
    stamps.delete(all: [Stamp(primaryKey: "g")])
    #expect(stamps.accessAll().map(\.primaryKey) == ["h", "i", "j"])
    #expect(stamps.latestAccessedTime(for: Stamp(primaryKey: "h")) != nil)
    stamps.deleteAllInvalidateArchives(invalidateTimeInterval: 3600)
    #expect(stamps.accessAll().count == 3)
    stamps.deleteAll()
    #expect(stamps.accessAll().isEmpty && stamps.currentSize == .zero)
    #expect(stamps.process(queries: []).isEmpty)
  }
}
