import Foundation
import Sediment
import SedimentTesting
import Synchronization
import Testing
import Vellum

/// An archive that counts how often archives of its kind are decoded.
private struct Counted: Archivable, Sendable, Equatable {
  static let decodedCount = Atomic<Int>(0)

  var primaryKey: String
  var rank: Int
  var group: Int

  func archiveData() throws -> Data { Data("\(primaryKey) \(rank) \(group)".utf8) }

  static func decode(archive data: Data) throws -> any Archivable {
    decodedCount.add(1, ordering: .relaxed)
    let parts = String(decoding: data, as: UTF8.self).split(separator: " ")
    return Counted(primaryKey: String(parts[0]), rank: Int(parts[1]) ?? 0, group: Int(parts[2]) ?? 0)
  }
}

/// A step of a kind that archives do not know.
private final class EverySecond: Query<Counted> {
  override func process(results: [Counted]) -> [Counted] {
    results.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
  }
}

@Suite(.serialized) struct QueryTests {
  private let fixture: ArchiveFixture
  private let archives: ArchiveManager<Counted>
  private let all: [Counted]

  init() throws {
    fixture = try ArchiveFixture()
    archives = try fixture.archives(memory: 0)
    var random = SeededGenerator(seed: 3)
    all = (0..<500).map {
      Counted(primaryKey: "k\($0)", rank: Int.random(in: 0..<40, using: &random), group: $0 % 5)
    }
    archives.insert(all: all)
    Counted.decodedCount.store(0, ordering: .relaxed)
  }

  private var decodedCount: Int { Counted.decodedCount.exchange(0, ordering: .relaxed) }

  /// Sorted in the plainest way; those that are equal stay in their order.
  private func sorted(_ archives: [Counted], by isLess: (Counted, Counted) -> Bool) -> [Counted] {
    archives.enumerated().sorted { left, right in
      if isLess(left.element, right.element) { return true }
      return isLess(right.element, left.element) ? false : left.offset < right.offset
    }.map(\.element)
  }

  @Test func `Each archive is decoded once, whatever the query`() {
    let query = archives.findWhere { $0.rank(.less(than: 20)).group(.isNotEqual(with: 2)) }
      .sorted { $0.rank(.descending).group(.ascending) }
    let expected = sorted(all.filter { $0.rank < 20 && $0.group != 2 }) {
      ($1.rank, $0.group) < ($0.rank, $1.group)
    }
    #expect(query.getResults() == expected)
    #expect(decodedCount == 500)
    #expect(query.firstResult() == expected.first)
    #expect(query.lastResult() == expected.last)
    #expect(decodedCount == 1000)
    #expect(query.limitResults(by: 10).getResults() == Array(expected.prefix(10)))
    #expect(decodedCount == 500)
  }

  @Test func `A limit behind an unsorted find stops early`() {
    let found = archives.findWhere { $0.group(.isEqual(with: 1)) }.limitResults(by: 4)
    #expect(found.getResults().map(\.primaryKey) == ["k1", "k6", "k11", "k16"])
    #expect(decodedCount == 17)
    #expect(found.firstResult()?.primaryKey == "k1")
    #expect(decodedCount == 2)
    #expect(found.limitResults(by: 0).getResults().isEmpty)
    #expect(archives.sorted { $0.rank(.ascending) }.limitResults(by: -3).getResults().isEmpty)
    #expect(archives.accessAll(limitedBy: 3).count == 3)
    #expect(decodedCount == 3)
  }

  @Test(arguments: 0..<20)
  func `Sorting with any limit gives the beginning of the whole order`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let limit = [1, 2, 3, 10, 77, 499, 500, 501].randomElement(using: &random)!
    let descends = Bool.random(using: &random)
    let manually = Bool.random(using: &random)
    let query = archives.sorted { by in
      let first: QuerySorter<Counted> =
        manually
        ? by.manual(direction: descends ? .descending : .ascending) { left, right in
          left.rank == right.rank
            ? .leftEqualWithRight : left.rank < right.rank ? .leftLessThanRight : .leftGreaterThanRight
        } : by.rank(descends ? .descending : .ascending)
      return limit % 2 == 0 ? first : first.group(.descending)
    }
    let expected = sorted(all) { left, right in
      if left.rank != right.rank { return descends ? left.rank > right.rank : left.rank < right.rank }
      return limit % 2 == 0 ? false : left.group > right.group
    }
    #expect(query.getResults() == expected)
    #expect(query.lastResult() == expected.last)
    #expect(query.limitResults(by: limit).getResults() == Array(expected.prefix(limit)))
    #expect(query.lastResult() == expected.prefix(limit).last)
  }

  @Test func `Steps run in their order`() {
    var first: QueryBuilder<ArchiveManager<Counted>> {
      archives.findWhere { $0.rank(.less(than: 30)) }.limitResults(by: 50)
    }
    let plain = Array(all.filter { $0.rank < 30 }.prefix(50))
    #expect(first.getResults() == plain)
    #expect(first.findWhere { $0.group(.isEqual(with: 0)) }.getResults() == plain.filter { $0.group == 0 })
    #expect(
      first.sorted { $0.rank(.ascending) }.getResults() == sorted(plain) { $0.rank < $1.rank })
    var sortedFirst: QueryBuilder<ArchiveManager<Counted>> { archives.sorted { $0.rank(.ascending) } }
    #expect(
      sortedFirst.findWhere { $0.group(.isEqual(with: 0)) }.limitResults(by: 7).getResults()
        == Array(sorted(all) { $0.rank < $1.rank }.filter { $0.group == 0 }.prefix(7)))
    #expect(
      sortedFirst.limitResults(by: 20).findWhere { $0.group(.isEqual(with: 0)) }.getResults()
        == sorted(all) { $0.rank < $1.rank }.prefix(20).filter { $0.group == 0 })
    #expect(
      sortedFirst.sorted { $0.group(.ascending) }.getResults()
        == sorted(all) { ($0.group, $0.rank) < ($1.group, $1.rank) })
    #expect(first.limitResults(by: 3).limitResults(by: 9).getResults() == Array(plain.prefix(3)))
    #expect(first.lastResult() == plain.last)
    #expect(archives.findWhere { $0.rank(.isEqual(with: 99)) }.lastResult() == nil)
  }

  @Test func `A step of another kind is given what the steps before it have left`() {
    let steps =
      archives.findWhere { $0.group(.isEqual(with: 3)) }.queries + [EverySecond(), QueryLimiter(limit: 2)]
    #expect(archives.process(queries: steps).map(\.primaryKey) == ["k8", "k18"])
    #expect(archives.process(queries: [Query()]) == all)
  }

  @Test func `What is in memory is found without decoding, and what is there alone too`() throws {
    struct Note: ArchiveCodable, Equatable, Sendable {
      var primaryKey: String
      var number: Int
    }
    let notes: ArchiveManager<Note> = try fixture.archives(memory: 10_000, disk: 100)
    notes.insert(all: (0..<20).map { Note(primaryKey: "n\($0)", number: $0 % 3) })
    #expect(notes.findWhere { $0.number(.isEqual(with: 1)) }.getResults().count == 7)
    #expect(notes.sorted { $0.number(.descending) }.firstResult()?.primaryKey == "n2")
  }

  @Test func `A condition may be used for two properties`() {
    let validator = QueryValidator<Counted, Int>.isEqual(with: 2)
    #expect(
      archives.findWhere { $0.group(validator).rank(validator) }.getResults()
        == all.filter { $0.group == 2 && $0.rank == 2 })
    #expect(validator.process(results: all) == all)
  }

  @Test func `A query of what changes meanwhile finds once what is there the whole time`() throws {
    // The condition itself records, deletes and updates while the query runs.
    let archives = archives
    let found = archives.findWhere {
      $0.primaryKey(
        .isValid { key in
          if key == "k3" {
            archives.record(Counted(primaryKey: "new", rank: 0, group: 0))
            archives.delete(keys: "k400", "k401")
            archives.record(Counted(primaryKey: "k401", rank: 0, group: 9))
            archives.update(Counted(primaryKey: "k450", rank: 1, group: 8))
          }
          return true
        })
    }.getResults()
    #expect(found.map(\.primaryKey) == all.map(\.primaryKey).filter { $0 != "k400" && $0 != "k401" })
    #expect(found.first { $0.primaryKey == "k450" }?.group == 8)
  }

  @Test func `Tasks get the same results, and can be cancelled`() async throws {
    let query = archives.findWhere { $0.group(.isEqual(with: 1)) }
    let expected = all.filter { $0.group == 1 }
    #expect(try await query.results() == expected)
    #expect(try await archives.asynchronous.accessAll() == all)
    let archives = archives
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return try await archives.asynchronous.accessAll()
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
