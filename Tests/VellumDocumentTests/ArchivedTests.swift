import Foundation
import Testing
import Vellum

private struct Profile: ArchiveCodable, Equatable {
  var primaryKey: String { name }
  var name: String
  var visits = 0
}

private class Screen {
  @Archived var profile: Profile?
  @Archived(initialPrimaryKey: "before") var earlier: Profile?
  @Archived(wrappedValue: Profile(name: "initial")) var initial: Profile?
}

@Suite(.serialized) struct ArchivedTests {
  private let archives: ArchiveManager<Profile>

  init() throws {
    #expect(SharedArchives.isReady)
    archives = try ArchivesFactory.shared.archives(for: Profile.self)
    archives.deleteAll()
  }

  @Test func `What is assigned is recorded, and nil deletes it`() {
    let screen = Screen()
    #expect(screen.profile == nil)
    screen.profile = Profile(name: "ada")
    #expect(archives.access(archiveWithKey: "ada") == Profile(name: "ada"))
    screen.profile?.visits = 7
    #expect(archives.access(archiveWithKey: "ada")?.visits == 7)
    screen.profile = Profile(name: "grace")
    #expect(archives.access(archiveWithKey: "ada")?.visits == 7)
    screen.profile = nil
    #expect(archives.access(archiveWithKey: "grace") == nil && screen.profile == nil)
    #expect(archives.access(archiveWithKey: "initial") != nil)
  }

  @Test func `A property with an initial key loads it at its first use and not before`() {
    let screen = Screen()
    archives.record(Profile(name: "before", visits: 1))
    #expect(screen.earlier?.visits == 1)
    archives.record(Profile(name: "before", visits: 2))
    #expect(screen.earlier?.visits == 1)
  }

  @Test func `Nil deletes the archive of an initial key that was never loaded`() {
    let screen = Screen()
    archives.record(Profile(name: "before"))
    screen.earlier = nil
    #expect(archives.access(archiveWithKey: "before") == nil && screen.earlier == nil)
  }

  @Test func `A property whose archive is not there is nil`() {
    #expect(Screen().earlier == nil)
  }

  @Test func `An object records itself, and finds what was recorded`() {
    var profile = Profile(name: "self", visits: 1)
    #expect(profile.archivedVersion() == nil)
    profile.updateArchive()
    profile.visits = 2
    #expect(profile.archivedVersion()?.visits == 1)
    #expect(profile.tryCopy() == profile)
  }
}
