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
}
