import Foundation
import Sediment
import SedimentTesting
import Synchronization
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

/// One of a net in which each level leads to the next by two ways.
private final class Node: Archivable {
  static let encodingCount = Count()
  static var archivePropertyBehavior: ArchivePropertyBehavior { .replaceExisting }
  let primaryKey: String
  let left, right: Node?

  init(_ key: String, _ next: Node?) { (primaryKey, left, right) = (key, next, next) }

  func archiveData() throws -> Data {
    Self.encodingCount.add()
    return Data(primaryKey.utf8)
  }

  static func decode(archive data: Data) throws -> any Archivable {
    Node(String(decoding: data, as: UTF8.self), nil)
  }
}

/// A number that grows.
private final class Count: Sendable {
  private let number = Mutex(0)
  var value: Int { number.withLock { $0 } }
  func add() { number.withLock { $0 += 1 } }
}

private struct Unfinished: Archivable, Sendable {
  struct Failure: Error {}
  static var archivePropertyBehavior: ArchivePropertyBehavior { .replaceExisting }
  var primaryKey: String { "unfinished" }
  var author: Author
  var fails: Bool

  func archiveData() throws -> Data {
    if fails { throw Failure() }
    return Data(author.name.utf8)
  }

  static func decode(archive data: Data) throws -> any Archivable {
    Unfinished(author: Author(name: String(decoding: data, as: UTF8.self)), fails: false)
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
    #expect(friends.accessAll().map(\.primaryKey) == ["other", "one"])
    one.friend = nil
  }

  @Test func `An object that several lead to is recorded once`() throws {
    let nodes = try fixture.factory.archives(for: Node.self)
    var node: Node?
    for level in 0..<20 { node = Node("\(level)", node) }
    let count = Node.encodingCount.value
    nodes.record(try #require(node))
    #expect(Node.encodingCount.value - count == 20 && nodes.accessAll().count == 20)
  }

  @Test func `Properties are recorded only with an object that can be`() throws {
    authors.record(Author(name: "a", born: 1))
    let books = try fixture.factory.archives(for: Unfinished.self)
    #expect(throws: VellumError.self) {
      try books.throwing.record(Unfinished(author: Author(name: "a", born: 2), fails: true))
    }
    #expect(authors.access(archiveWithKey: "a")?.born == 1)
    try books.throwing.record(Unfinished(author: Author(name: "a", born: 3), fails: false))
    #expect(authors.access(archiveWithKey: "a")?.born == 3)
  }

  @Test func `They go to the file of the object, though nobody has the factory any more`() throws {
    let books = try ArchivesFactory(store: fixture.store).archives(for: Book.self)
    books.record(Book(title: "t", author: Author(name: "a", born: 5)))
    #expect(
      try ArchivesFactory(store: fixture.store).archives(for: Author.self).accessAll()
        == [Author(name: "a", born: 5)])
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
