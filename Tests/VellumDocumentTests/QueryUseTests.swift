import Foundation
import Testing
import Vellum

private struct Member: ArchiveCodable, Equatable {
  var primaryKey: String { userName }
  var userName: String
  var fullName: String
  var age: Int
  var nickname: String?
  var badges: [String] = []
}

private let members = [
  Member(userName: "premium_ada", fullName: "Ada", age: 36, nickname: "countess", badges: ["math", "first"]),
  Member(userName: "grace", fullName: "Grace", age: 85, nickname: nil, badges: ["navy"]),
  Member(userName: "premium_edsger", fullName: "Edsger", age: 72, nickname: "", badges: []),
  Member(userName: "premium_barbara", fullName: "Barbara", age: 36, nickname: "B", badges: ["first"]),
]

@Suite struct QueryUseTests {
  private let userCache: ArchiveManager<Member>

  init() throws {
    #expect(SharedArchives.isReady)
    userCache = try ArchivesFactory.shared.archives(for: Member.self)
    userCache.insert(all: members)
  }

  private func names(
    _ finder: (QueryFinder<Member>) -> QueryFinder<Member>
  ) -> [String] {
    userCache.findWhere(finder).getResults().map(\.fullName)
  }

  @Test func `Finding joins conditions by and, with and without labels`() {
    let results = userCache.findWhere { archive in
      archive.userName(.contains("premium"))
        .fullName(.isNotEqual(nil))
    }
    .getResults()
    #expect(results.map(\.fullName) == ["Ada", "Edsger", "Barbara"])
    let labelled = userCache.findWhere {
      $0.userName(.contains(string: "premium")).fullName(.isNotEqual(with: nil))
    }
    .getResults()
    #expect(labelled == results)
  }

  @Test func `Sorting goes by one property and then the next`() {
    let results = userCache.sorted { by in
      by.age(.ascending)
        .fullName(.descending)
    }
    .getResults()
    #expect(results.map(\.fullName) == ["Barbara", "Ada", "Edsger", "Grace"])
    let first = userCache.sorted { by in
      by.age(.ascending)
        .fullName(.descending)
    }
    .limitResults(by: 2)
    .getResults()
    #expect(first == Array(results.prefix(2)))
  }

  @Test func `Finding, sorting and limits go together`() {
    let query = userCache.findWhere { archive in
      archive.userName(.contains("premium"))
        .fullName(.isNotEqual(nil))
    }
    .sorted { by in
      by.age(.ascending)
        .fullName(.descending)
    }
    #expect(query.limitResults(by: 10).getResults().map(\.fullName) == ["Barbara", "Ada", "Edsger"])
    #expect(query.firstResult()?.fullName == "Barbara")
    #expect(query.lastResult()?.fullName == "Edsger")
  }

  @Test func `A closure validates what nothing else does`() {
    let results = userCache.findWhere { archive in
      archive.userName(.isValid { $0.contains("premium") })
    }
    .getResults()
    #expect(results.count == 3)
  }

  @Test func `Every condition of the list finds what it says`() {
    #expect(names { $0.userName(.contains(string: "PREMIUM", caseSensitive: false)) }.count == 3)
    #expect(names { $0.userName(.contains(string: "PREMIUM")) }.isEmpty)
    #expect(names { $0.userName(.contains(string: "")) }.isEmpty)
    #expect(names { $0.userName(.contains(string: "", caseSensitive: false)) }.isEmpty)
    #expect(names { $0.userName(.contains("")) }.isEmpty)
    #expect(names { $0.userName(.matches(regex: "^g.*e$")) } == ["Grace"])
    #expect(names { $0.badges(.contains(with: "first")) } == ["Ada", "Barbara"])
    #expect(names { $0.badges(.contains(atLeastOne: ["navy", "math"])) } == ["Ada", "Grace"])
    #expect(names { $0.badges(.contains(all: ["first", "math"])) } == ["Ada"])
    #expect(names { $0.badges(.contains("first", "math")) } == ["Ada"])
    #expect(names { $0.badges(.countEqual(with: 1)) } == ["Grace", "Barbara"])
    #expect(names { $0.badges(.countGreater(than: 1)) } == ["Ada"])
    #expect(names { $0.badges(.countLess(than: 1)) } == ["Edsger"])
    #expect(names { $0.badges(.countGreaterOrEqual(with: 1)) } == ["Ada", "Grace", "Barbara"])
    #expect(names { $0.badges(.countLessOrEqual(with: 1)) } == ["Grace", "Edsger", "Barbara"])
    #expect(names { $0.age(.isEqual(with: 36)) } == ["Ada", "Barbara"])
    #expect(names { $0.age(.isNotEqual(with: 36)) } == ["Grace", "Edsger"])
    #expect(names { $0.age(.greater(than: 72)) } == ["Grace"])
    #expect(names { $0.age(.less(than: 72)) } == ["Ada", "Barbara"])
    #expect(names { $0.age(.greaterOrEqual(with: 72)) } == ["Grace", "Edsger"])
    #expect(names { $0.age(.lessOrEqual(with: 72)) } == ["Ada", "Edsger", "Barbara"])
  }

  @Test func `Nil and emptiness are conditions too`() {
    #expect(names { $0.nickname(.isNil()) } == ["Grace"])
    #expect(names { $0.nickname(.isNotNil()) } == ["Ada", "Edsger", "Barbara"])
    #expect(names { $0.nickname(.isNilOrEmpty()) } == ["Grace", "Edsger"])
    #expect(names { $0.nickname(.isNotEqual(with: nil)) } == ["Ada", "Edsger", "Barbara"])
    #expect(names { $0.nickname(.isNotEqual(nil)) } == ["Ada", "Edsger", "Barbara"])
    #expect(names { $0.nickname(.isEqual(with: nil)) } == ["Grace"])
    #expect(names { $0.nickname(.isEqual(with: "B")) } == ["Barbara"])
    #expect(names { $0.fullName(.isEqual(nil)) } == [])
    #expect(names { $0.fullName(.isNil()) } == [])
    #expect(names { $0.badges(.isEmpty()) } == ["Edsger"])
    #expect(names { $0.badges(.isNotEmpty()) } == ["Ada", "Grace", "Barbara"])
    #expect(names { $0.userName(.contains("b", "a")) } == ["Barbara"])
    #expect(names { $0.userName(.contains("g")).age(.isNotEqual(with: 85)) } == ["Edsger"])
  }

  @Test func `A closure compares what has no order of its own`() {
    let byNameLength = userCache.sorted {
      $0.manual(direction: .descending) { left, right in
        let (left, right) = (left.fullName.count, right.fullName.count)
        if left == right { return .leftEqualWithRight }
        return left > right ? .leftGreaterThanRight : .leftLessThanRight
      }.userName(.ascending)
    }
    #expect(byNameLength.getResults().map(\.fullName) == ["Barbara", "Edsger", "Grace", "Ada"])
  }
}
