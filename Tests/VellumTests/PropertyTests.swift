import Foundation
import Sediment
import SedimentTesting
import Testing
import Vellum

private struct Author: ArchiveCodable, Equatable, Sendable {
  var primaryKey: String { name }
  var name: String
  var born = 0
}

private struct Book: ArchiveCodable, Sendable {
  static var archivePropertyBehavior: ArchivePropertyBehavior { .replaceExisting }
  var primaryKey: String { title }
  var title: String
  var author: Author
  var editor: Author?
  var others: [Author] = []
}

private struct Draft: ArchiveCodable, Sendable {
  static var archivePropertyBehavior: ArchivePropertyBehavior { .insertIfNotPresent }
  var primaryKey: String { "draft" }
  var author: Author
}

/// Two that lead to each other.
private class Friend: Archivable {
  class var archivePropertyBehavior: ArchivePropertyBehavior { .replaceExisting }
  let primaryKey: String
  var friend: Friend?

  init(_ key: String) { primaryKey = key }

  func archive() throws -> Data { Data(primaryKey.utf8) }
  static func deArchive(fromData data: Data) throws -> any Archivable {
    Friend(String(decoding: data, as: UTF8.self))
  }
}

@Suite struct PropertyTests {
  private let fixture: ArchiveFixture
  private let authors: ArchiveManager<Author>

  init() throws {
    fixture = try ArchiveFixture()
    authors = try fixture.factory.archives(for: Author.self)
  }

  @Test func `Archivable properties are recorded in place of what is there`() throws {
    authors.record(Author(name: "a", born: 1))
    let books = try fixture.factory.archives(for: Book.self)
    books.record(
      Book(
        title: "t", author: Author(name: "a", born: 2), editor: Author(name: "b"),
        others: [Author(name: "c")]))
    #expect(authors.accessAll().map(\.name) == ["a", "b"])
    #expect(authors.access(archiveWithKey: "a")?.born == 2)
    #expect(books.access(archiveWithKey: "t")?.author.born == 2)
  }

  @Test func `Or only if there is none yet`() throws {
    let drafts = try fixture.factory.archives(for: Draft.self)
    drafts.record(Draft(author: Author(name: "a", born: 1)))
    drafts.record(Draft(author: Author(name: "a", born: 2)))
    #expect(authors.accessAll() == [Author(name: "a", born: 1)])
  }

  @Test func `A property that is there already has been used`() throws {
    let drafts = try fixture.factory.archives(for: Draft.self)
    authors.insert(Author(name: "a"), Author(name: "b"))
    fixture.pass(seconds: 5)
    drafts.record(Draft(author: Author(name: "a")))
    #expect(authors.diskKeysByUse == ["b", "a"])
    #expect(authors.latestAccessedTime(for: "a") == fixture.time.now)
  }

  @Test func `Objects that lead to each other end somewhere`() throws {
    let (one, other) = (Friend("one"), Friend("other"))
    (one.friend, other.friend) = (other, one)
    let friends = try fixture.factory.archives(for: Friend.self)
    friends.record(one)
    #expect(friends.accessAll().map(\.primaryKey) == ["one", "other"])
    one.friend = nil
  }

  @Test func `Accessed objects of classes are nobody else's`() throws {
    let friends = try fixture.factory.archives(for: Friend.self)
    friends.record(Friend("one"))
    let found = friends.access(archiveWithKey: "one")
    #expect(found != nil && found !== friends.access(archiveWithKey: "one"))
    let friend = Friend("copied")
    #expect(friend.tryCopy() !== friend && friend.tryCopy().primaryKey == "copied")
  }
}
