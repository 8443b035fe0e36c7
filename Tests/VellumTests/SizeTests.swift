import Foundation
import Sediment
import SedimentTesting
import Testing
import Vellum

/// What a program holds that is used without asking for its archives: nested in an object that is recorded.
private struct Holder: ArchiveCodable {
  static var archivePropertyBehavior: ArchivePropertyBehavior { .replaceExisting }
  var primaryKey = "holder"
  var person: Person
}

/// Only a size that the program asked for deletes archives.
@Suite struct SizeTests {
  private static let byteCount = 1_000

  private static func person(_ number: Int) -> Person {
    Person("\(number)", city: String(repeating: "x", count: byteCount))
  }

  /// A file in which a run has recorded 5,000 archives, of 5 MB together.
  private func fixture() throws -> ArchiveFixture {
    let fixture = try ArchiveFixture()
    let people = try fixture.factory.archives(for: Person.self, trySetMaxDiskSize: 50.megaBytes)
    for number in 0..<5_000 { people.record(Self.person(number)) }
    #expect(people.accessAll().count == 5_000)
    return fixture
  }

  private func useInPassing(_ fixture: ArchiveFixture) throws {
    // As properties and objects use them that record themselves.
    try fixture.factory.archives(for: Holder.self).record(Holder(person: Self.person(7)))
  }

  @Test func `A use before the program asks deletes nothing, nor does what it records`() throws {
    let fixture = try fixture()
    for round in 0..<3 {
      try fixture.restart()
      try useInPassing(fixture)
      for number in 0..<10 {
        let new = Self.person(5_000 + 10 * round + number)
        try fixture.factory.archives(for: Holder.self).record(Holder(person: new))
      }
      let people = try fixture.factory.archives(for: Person.self, trySetMaxDiskSize: 50.megaBytes)
      #expect(people.accessAll().count == 5_010 + 10 * round && people.maxSize == 51.megaBytes)
      #expect(try people.recount() == nil)
    }
  }

  @Test func `Sizes by default keep what earlier runs have left, within the size that was asked for last`()
    throws
  {
    let fixture = try fixture()
    try fixture.restart()
    let people = try fixture.factory.archives(for: Person.self)
    #expect(people.accessAll().count == 5_000 && people.maxSize == 51.megaBytes)
    #expect(try fixture.factory.archives(for: Person.self, trySetMaxDiskSize: 1.kiloBytes) === people)
    #expect(people.accessAll().count == 5_000)
  }

  @Test(arguments: [false, true])
  func `A smaller size that is asked for counts at once, also after a use in passing`(isUsedBefore: Bool)
    throws
  {
    let fixture = try fixture()
    try fixture.restart()
    if isUsedBefore { try useInPassing(fixture) }
    let people = try fixture.factory.archives(
      for: Person.self, trySetMaxMemorySize: 10.kiloBytes, trySetMaxDiskSize: 1.megaBytes)
    #expect(people.currentDiskSize <= 1.megaBytes && people.currentDiskSize > 1.megaBytes - 2.kiloBytes)
    #expect(people.currentMemorySize <= 10.kiloBytes && people.maxSize == 1.megaBytes + 10.kiloBytes)
    #expect(people.access(archiveWithKey: isUsedBefore ? "7" : "4999") != nil)
    #expect(try people.recount() == nil)
  }

  @Test func `Default sizes that the program sets are asked for`() throws {
    let fixture = try fixture()
    try fixture.restart()
    fixture.factory.defaultMaxDiskSize = 1.megaBytes
    try useInPassing(fixture)
    #expect(try fixture.store.collection("archive:person").count() == 5_000)
    let people = try fixture.factory.archives(for: Person.self)
    #expect(people.currentDiskSize <= 1.megaBytes && people.currentDiskSize > 1.megaBytes - 2.kiloBytes)
  }

  @Test func `Memory keeps what was used last when its size is asked for after a use`() throws {
    let fixture = try ArchiveFixture()
    for number in 0..<20 {
      try fixture.factory.archives(for: Holder.self).record(Holder(person: Self.person(number)))
    }
    let people = try fixture.factory.archives(for: Person.self, trySetMaxMemorySize: 5.kiloBytes)
    #expect(people.currentMemorySize > 3.kiloBytes && people.currentMemorySize <= 5.kiloBytes)
    #expect(people.accessAll().count == 20)
    #expect(try people.recount() == nil)
  }
}
