import Foundation
import Sediment
import SedimentTesting
import Testing
import Vellum

/// Two types that are called the same where they are.
private enum Shop {
  struct Item: ArchiveCodable, Equatable, Sendable {
    var primaryKey: String
    var price = 0
  }
}

private enum Yard {
  struct Item: ArchiveCodable, Equatable, Sendable {
    var primaryKey: String
    var weight = 0
  }
}

@Suite struct SameNameTests {
  @Test func `Types of one name have archives of their own, in each run and whoever is first`() throws {
    let fixture = try ArchiveFixture()
    do {
      let (shop, yard) = (try fixture.archives(of: Shop.Item.self), try fixture.archives(of: Yard.Item.self))
      shop.record(Shop.Item(primaryKey: "a", price: 1))
      yard.record(Yard.Item(primaryKey: "a", weight: 2))
      #expect(shop.accessAll().count == 1 && yard.accessAll().count == 1)
    }
    try fixture.restart()
    do {
      let (yard, shop) = (try fixture.archives(of: Yard.Item.self), try fixture.archives(of: Shop.Item.self))
      #expect(shop.access(archiveWithKey: "a") == Shop.Item(primaryKey: "a", price: 1))
      #expect(yard.access(archiveWithKey: "a") == Yard.Item(primaryKey: "a", weight: 2))
      yard.deleteAll()
      #expect(shop.accessAll().count == 1)
    }
    #expect(fixture.store.collectionNames.first == "archive:item")
    #expect(fixture.store.collectionNames.filter { $0.hasPrefix("archive:item:") }.count == 1)
  }

  @Test func `A name belongs to a type while the program runs, also when nobody uses its archives`() throws {
    let fixture = try ArchiveFixture()
    try fixture.archives(of: Shop.Item.self).record(Shop.Item(primaryKey: "a"))
    let yard = try fixture.archives(of: Yard.Item.self)
    #expect(yard.accessAll().isEmpty)
    #expect(try fixture.archives(of: Shop.Item.self).accessAll().count == 1)
    #expect(fixture.failures.all.isEmpty)
  }
}
