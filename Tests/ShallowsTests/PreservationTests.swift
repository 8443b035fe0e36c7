import Dispatch
import Foundation
import Shallows
import Testing

/// Calls of compositions throw away no value that they did not replace, whichever tier fails.
///
/// The oracle compares storages: two that are made alike, one of which is asked what it has.
struct PreservationTests {
  typealias Compose = @Sendable (Tier, Tier) -> Storage<String, Int>

  struct Way: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Whether a value that is set is not seen while the front has another one.
    var setsBackOnly = false
    let make: Compose
  }

  private static let ways: [Way] =
    Composition.pulls.flatMap { pull in
      Composition.sets.map { set in
        Way(testDescription: "combined, \(pull), \(set)", setsBackOnly: set == .backOnly) {
          $0.combined(with: $1, pullStrategy: pull, setStrategy: set)
        }
      }
    } + [
      Way(testDescription: "misses only") { $0.combined(with: $1, fallingThroughOn: .missesOnly) },
      Way(testDescription: "backed") { $0.backed(by: $1) },
      Way(testDescription: "front combined") { MemoryStorage().combined(with: $0).combined(with: $1) },
      Way(testDescription: "back combined") {
        $0.combined(with: LRUStorage(capacity: .count(9)).combined(with: $1))
      },
      Way(testDescription: "values mapped") { front, back in
        front.mapValues(transformIn: { "\($0)" }, transformOut: { try Int($0).unwrap() })
          .combined(with: back.mapValues(transformIn: { "\($0)" }, transformOut: { try Int($0).unwrap() }))
          .mapValues(transformIn: { try Int($0).unwrap() }, transformOut: { "\($0)" })
      },
      Way(testDescription: "keys mapped") { front, back in
        front.combined(with: back).mapKeys { (key: Filename) in key.rawValue }.mapKeys {
          Filename(rawValue: $0)
        }
      },
      Way(testDescription: "expiring back") { $0.combined(with: $1.expiring(after: .seconds(3_600))) },
      Way(testDescription: "expiring back first") {
        $0.combined(with: $1.expiring(after: .seconds(3_600)), setStrategy: .backFirst)
      },
      Way(testDescription: "expiring front") { $0.expiring(after: .seconds(3_600)).combined(with: $1) },
      Way(testDescription: "synchronized") { $0.combined(with: $1).synchronizedCalls() },
      Way(testDescription: "coalescing") { $0.coalescingRetrievals().combined(with: $1) },
      Way(testDescription: "unhashable keys") { front, back in
        front.unhashable.combined(with: back.unhashable).mapKeys { Unhashable($0) }
      },
    ]

  /// What both tiers have, and what fails.
  struct Case: CustomStringConvertible {
    var front: Int?
    var back: Int?
    var frontFailure: Tier.Failure?
    var backFailure: Tier.Failure?
    var isAsync: Bool

    static let all: [Case] = [nil, 10].flatMap { front in
      [nil, 20].flatMap { back in
        [false, true].flatMap { isAsync in
          let failures: [(Tier.Failure?, Tier.Failure?)] =
            [(nil, nil)] + Tier.Failure.all.map { ($0, nil) } + Tier.Failure.all.map { (nil, $0) }
          return failures.map {
            Case(front: front, back: back, frontFailure: $0, backFailure: $1, isAsync: isAsync)
          }
        }
      }
    }

    var description: String {
      "front \(front as Any), back \(back as Any), \(frontFailure as Any), \(backFailure as Any), async \(isAsync)"
    }

    var isSound: Bool { frontFailure == nil && backFailure == nil }
  }

  /// A composition in the state that a case says.
  private struct Setup {
    let front: Tier
    let back: Tier
    let storage: Storage<String, Int>

    init(_ way: Way, _ trial: Case) {
      func values(_ value: Int?, other: Int) -> [String: Int] {
        ["a": value, "other": other].compactMapValues { $0 }
      }
      front = Tier(values(trial.front, other: 1), isAsync: trial.isAsync)
      back = Tier(values(trial.back, other: 2), isAsync: trial.isAsync)
      storage = way.make(front, back)
      front.fail(trial.frontFailure)
      back.fail(trial.backFailure)
    }

    func retrieved() -> Int? { answer { storage.retrieve(forKey: "a", completion: $0) }.value }

    /// What is there once nothing fails any more; looking does not change it.
    func visible() -> Int? {
      front.fail(nil)
      back.fail(nil)
      let found = retrieved()
      #expect(front.contents["other"] == 1 && back.contents["other"] == 2)
      return found
    }
  }

  /// The first result of a call, waited for.
  private static func answer<Value>(
    _ call: (@escaping (ShallowsResult<Value>) -> Void) -> Void
  ) -> ShallowsResult<Value> {
    let told = ResultList<Value>()
    call { told.append($0) }
    told.waitForOne()
    return told.all[0]
  }

  private static func before(_ way: Way, _ trial: Case) -> (asFailing: Int?, visible: Int?) {
    (Setup(way, trial).retrieved(), Setup(way, trial).visible())
  }

  @Test(arguments: ways)
  func `A retrieval takes nothing away`(way: Way) {
    for trial in Case.all {
      let (expected, visible) = Self.before(way, trial)
      let setup = Setup(way, trial)
      #expect(setup.retrieved() == expected, "\(trial)")
      // What the front cannot read is replaced by what the back has.
      let after = setup.visible()
      #expect(after == visible || (after == expected && after != nil), "\(trial): \(after as Any)")
    }
  }

  @Test(arguments: ways)
  func `An atomic update begins with what a retrieval gives, and loses nothing if it fails`(way: Way) {
    for trial in Case.all {
      let (start, visible) = Self.before(way, trial)
      let setup = Setup(way, trial)
      let result = answer { setup.storage.atomicUpdate(forKey: "a", { $0 += 1 }, completion: $0) }
      let after = setup.visible()
      switch result {
      case .success(let value):
        #expect(start != nil && value == start! + 1 && after == value, "\(trial): \(value), \(after as Any)")
      case .failure:
        #expect(!trial.isSound || start == nil, "\(trial)")
        #expect(after == visible || (start != nil && after == start! + 1), "\(trial): \(after as Any)")
      }
    }
  }

  @Test(arguments: ways)
  func `A default counts for an atomic update where a retrieval would give it, and nowhere else`(way: Way) {
    for trial in Case.all {
      let (start, visible) = Self.before(way, trial)
      let setup = Setup(way, trial)
      let storage = setup.storage.defaulting(to: 0)
      let result = answer { storage.atomicUpdate(forKey: "a", { $0 += 1 }, completion: $0) }
      let (after, new) = (setup.visible(), (start ?? 0) + 1)
      switch result {
      case .success(let value): #expect(value == new && after == new, "\(trial): \(value), \(after as Any)")
      case .failure:
        #expect(!trial.isSound && (after == visible || after == new), "\(trial): \(after as Any)")
      }
    }
  }

  private struct Refused: Error {}

  @Test(arguments: ways)
  func `What the closure of an atomic update throws changes nothing`(way: Way) {
    for trial in Case.all {
      let (pulled, visible) = Self.before(way, trial)
      let setup = Setup(way, trial)
      let result = answer {
        setup.storage.atomicUpdate(forKey: "a", { _ in throw Refused() }, completion: $0)
      }
      // A front that is ahead of its back is updated from what it pulls, as by a retrieval.
      let after = setup.visible()
      #expect(result.error != nil && (after == visible || (after == pulled && after != nil)), "\(trial)")
    }
  }

  @available(*, deprecated)
  @Test(arguments: ways)
  func `An update in three steps begins with what a retrieval gives, too`(way: Way) {
    for trial in Case.all {
      let (start, visible) = Self.before(way, trial)
      let setup = Setup(way, trial)
      let result = answer { setup.storage.update(forKey: "a", { $0 += 1 }, completion: $0) }
      let after = setup.visible()
      guard case .success(let value) = result else {
        #expect(!trial.isSound || start == nil, "\(trial)")
        #expect(after == visible || (start != nil && after == start! + 1), "\(trial): \(after as Any)")
        continue
      }
      #expect(start.map { $0 + 1 } == value, "\(trial)")
      // A set of the back alone is not seen while the front has another value.
      let isSeen = after == value || (way.setsBackOnly && setup.back.contents["a"] == value)
      #expect(isSeen, "\(trial): \(after as Any)")
    }
  }

  @Test(arguments: ways, [StorageExpiry.never, .at(.distantFuture)])
  func `A value that is set is there if that succeeds, and what was there or it if not`(
    way: Way, expiry: StorageExpiry
  ) {
    for trial in Case.all {
      let visible = Self.before(way, trial).visible
      let setup = Setup(way, trial)
      let result = answer { setup.storage.set(5, forKey: "a", expiry: expiry, completion: $0) }
      let after = setup.visible()
      switch result {
      case .success:
        let isSeen = after == 5 || (way.setsBackOnly && setup.back.contents["a"] == 5)
        #expect(isSeen, "\(trial): \(after as Any)")
      case .failure: #expect(!trial.isSound && (after == visible || after == 5), "\(trial): \(after as Any)")
      }
    }
  }

  @Test(arguments: [StorageCombinationSetStrategy.frontFirst, .backFirst], [false, true])
  func `A front that cannot let values expire is passed by, and has none that is older`(
    strategy: StorageCombinationSetStrategy, isAsync: Bool
  ) {
    let (front, back) = (Tier(["a": 1], isAsync: isAsync), Tier(["a": 1], isAsync: isAsync))
    front.fail(Tier.Failure(call: .setExpiring, isRefusal: true))
    let storages = [
      front.combined(with: back, setStrategy: strategy),
      front.combined(with: back.expiring(at: .distantFuture), setStrategy: strategy),
    ]
    for (storage, expiry) in zip(storages, [StorageExpiry.at(.distantFuture), .never]) {
      #expect(answer { storage.set(5, forKey: "a", expiry: expiry, completion: $0) }.error == nil)
      #expect(front.contents == [:] && back.contents == ["a": 5])
      #expect(back.expiry(of: "a") == .at(.distantFuture))
      #expect(answer { storage.retrieve(forKey: "a", completion: $0) }.value == 5)
      #expect(front.contents == [:])
    }
  }

  @Test func `Updates and retrievals at once lose no update of a value that only the front had`() async throws
  {
    let (threadCount, count) = (8, 300)
    for round in 0..<20 {
      let front = MemoryStorage(storage: ["a": 100])
      let back = MemoryStorage<String, Int>(storage: round % 2 == 0 ? [:] : ["a": 100])
      let storage = front.combined(with: back)
      onThreads(threadCount) { number in
        for _ in 0..<count {
          if number % 2 == 0 {
            storage.atomicUpdate(forKey: "a", { $0 += 1 }, completion: { _ in })
          } else {
            storage.retrieve(forKey: "a", completion: { _ in })
          }
        }
      }
      #expect(try await storage.retrieve(forKey: "a") == 100 + threadCount / 2 * count)
      #expect(back.storage == ["a": 100 + threadCount / 2 * count])
    }
  }

  @Test func `An update carries the expiry of a value that only the front has, and lets that of the back be`()
  {
    let (early, late) = (
      StorageExpiry.at(Date(timeIntervalSinceNow: 1_000)), StorageExpiry.at(.distantFuture)
    )
    for backExpiry in [nil, late, .never] {
      let (front, back) = (Tier([:], isAsync: false), Tier([:], isAsync: false))
      _ = front.answer(setting: 1, forKey: "a", expiry: early)
      if let backExpiry { _ = back.answer(setting: 1, forKey: "a", expiry: backExpiry) }
      let storage = front.combined(with: back)
      #expect(answer { storage.atomicUpdate(forKey: "a", { $0 += 1 }, completion: $0) }.value == 2)
      #expect(
        back.contents == ["a": 2] && back.expiry(of: "a") == backExpiry ?? early && front.contents == [:])
    }
  }

  @available(*, deprecated)
  @Test func `An update in three steps keeps the expiry`() {
    let tier = Tier([:], isAsync: false)
    _ = tier.answer(setting: 1, forKey: "a", expiry: .at(.distantFuture))
    let layers = [
      tier.asStorage(), tier.mapKeys { (key: String) in key }, MemoryStorage().combined(with: tier),
    ]
    for (index, storage) in layers.enumerated() {
      #expect(answer { storage.update(forKey: "a", { $0 += 1 }, completion: $0) }.value == 2 + index)
      #expect(tier.expiry(of: "a") == .at(.distantFuture))
    }
  }

  private func answer<Value>(
    _ call: (@escaping (ShallowsResult<Value>) -> Void) -> Void
  ) -> ShallowsResult<Value> {
    Self.answer(call)
  }
}
