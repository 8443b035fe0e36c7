import Foundation
import Sediment
import SedimentTesting
import Testing
import Vellum

private class Player: ArchiveCodable {
  var primaryKey: String { name }
  let name: String
  var score: Int

  init(_ name: String, score: Int = 0) {
    self.name = name
    self.score = score
  }
}

@Suite struct IdentityTests {
  private let fixture: ArchiveFixture

  init() throws {
    fixture = try ArchiveFixture()
  }

  private func players(_ identity: ArchiveIdentity, memory: DataSize = 1.megaBytes) throws -> ArchiveManager<
    Player
  > {
    try fixture.factory.archives(for: Player.self, trySetMaxMemorySize: memory, identity: identity)
  }

  @Test func `All who access a key get one instance, if that was asked for`() throws {
    let players = try players(.shared)
    let player = Player("a", score: 1)
    players.record(player)
    let found = try #require(players.access(archiveWithKey: "a"))
    // What was recorded is copied, as ever.
    #expect(found !== player && found === players.access(archiveWithKey: "a"))
    #expect(found === players.accessAll().first)
    #expect(found === players.findWhere { $0.score(.isEqual(with: 1)) }.firstResult())
    found.score = 2
    #expect(players.access(archiveWithKey: "a")?.score == 2)
  }

  @Test func `An instance that is recorded again stays, and another object takes its place`() throws {
    let players = try players(.shared)
    players.record(Player("a"))
    let found = try #require(players.access(archiveWithKey: "a"))
    found.score = 7
    players.update(found)
    #expect(players.access(archiveWithKey: "a") === found)
    players.record(Player("a", score: 8))
    #expect(players.access(archiveWithKey: "a") !== found && found.score == 7)
    #expect(players.access(archiveWithKey: "a")?.score == 8)
  }

  @Test func `An instance that somebody has is found though memory has lost it, and else the data is`() throws
  {
    let players = try players(.shared, memory: 1)
    players.record(Player("a", score: 1))
    var found = players.access(archiveWithKey: "a")
    #expect(found != nil && players.currentMemorySize == .zero)
    #expect(players.access(archiveWithKey: "a") === found && players.accessAll().first === found)
    found?.score = 2
    found = nil
    #expect(players.access(archiveWithKey: "a")?.score == 1)
    players.delete(archiveWithKey: "a")
    #expect(players.access(archiveWithKey: "a") == nil)
  }

  @Test func `An instance whose archive was deleted is not what comes to its key later`() throws {
    let players = try players(.shared)
    players.record(Player("a", score: 1))
    let held = try #require(players.access(archiveWithKey: "a"))
    players.delete(archiveWithKey: "a")
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("vellum-identity-\(UUID().uuidString)/vellum_player")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder.deletingLastPathComponent()) }
    try Player("a", score: 9).archiveData().write(to: folder.appendingPathComponent("a.vlm"))
    #expect(try fixture.factory.importing(folder: folder).importedCount == 1)
    let found = try #require(players.access(archiveWithKey: "a"))
    #expect(found !== held && found.score == 9 && players.accessAll().first === found)
  }

  @Test func `An old instance is not what was recorded meanwhile`() throws {
    let players = try players(.shared, memory: 1)
    players.record(Player("a", score: 1))
    let old = players.access(archiveWithKey: "a")
    players.record(Player("a", score: 2))
    #expect(players.access(archiveWithKey: "a")?.score == 2 && old?.score == 1)
    players.delete(archiveWithKey: "a")
    players.record(Player("a", score: 3))
    #expect(players.access(archiveWithKey: "a")?.score == 3)
  }

  @Test func `Instances that nobody has are forgotten`() throws {
    let players = try players(.shared, memory: 1)
    for round in 0..<1_000 {
      players.record(Player("\(round)", score: round))
      #expect(players.access(archiveWithKey: "\(round)")?.score == round)
    }
    #expect(players.accessAll().count == 1_000)
  }

  @Test func `Copies are given unless something else is asked for, and nobody changes that later`() throws {
    let players = try fixture.factory.archives(for: Player.self)
    players.record(Player("a"))
    #expect(players.access(archiveWithKey: "a") !== players.access(archiveWithKey: "a"))
    #expect(try self.players(.copied) === players)
    let error = #expect(throws: VellumError.self) { try self.players(.shared) }
    #expect(error?.code == .invalidArgument)
    // Values have no identity.
    let people = try fixture.factory.archives(for: Person.self)
    #expect(try fixture.factory.archives(for: Person.self, identity: .shared) === people)
  }

  /// An object with state that its data has not.
  private final class Draft: Archivable, NSCopying {
    let primaryKey: String
    var text: String
    var selection = 0

    init(_ key: String, text: String) {
      primaryKey = key
      self.text = text
    }

    func copy(with zone: NSZone? = nil) -> Any {
      let copy = Draft(primaryKey, text: text)
      copy.selection = selection
      return copy
    }

    func archiveData() throws -> Data { Data("\(primaryKey)=\(text)".utf8) }

    static func decode(archive data: Data) throws -> any Archivable {
      let parts = String(decoding: data, as: UTF8.self).split(separator: "=")
      return Draft(String(parts[0]), text: String(parts[1]))
    }
  }

  @Test func `An object that copies itself keeps in memory what its data has not, and nobody shares it`()
    throws
  {
    do {
      let drafts = try fixture.factory.archives(for: Draft.self)
      let draft = Draft("a", text: "one")
      draft.selection = 3
      drafts.record(draft)
      draft.selection = 4
      let found = try #require(drafts.access(archiveWithKey: "a"))
      #expect(found !== draft && found.selection == 3)
      found.selection = 5
      let again = [
        drafts.access(archiveWithKey: "a"), drafts.accessAll().first,
        drafts.findWhere { $0.text(.isEqual(with: "one")) }.firstResult(),
      ]
      for other in again { #expect(other !== found && other?.selection == 3 && other?.text == "one") }
    }
    // Of the disk there is what the data has.
    try fixture.restart()
    let others = try fixture.factory.archives(for: Draft.self)
    let read = try #require(others.access(archiveWithKey: "a"))
    read.selection = 9
    #expect(others.access(archiveWithKey: "a")?.selection == 0)
  }
}
