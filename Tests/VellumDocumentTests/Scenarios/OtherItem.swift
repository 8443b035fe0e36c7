import Testing
import Vellum

/// Another file of the tests has one, too.
private struct Item: ArchiveCodable, Equatable {
  var primaryKey: String
  var weight: Int
}

func recordOtherItem() throws {
  let items = try ArchivesFactory.shared.archives(for: Item.self)
  items.record(Item(primaryKey: "stone", weight: 7))
  #expect(items.access(archiveWithKey: "stone") == Item(primaryKey: "stone", weight: 7))
}
