import Foundation
import Shallows
import Testing

/// A count that is kept by a storage which cannot be set.
private final class Stuck: StorageProtocol {
  func retrieve(forKey key: String, completion: @escaping (ShallowsResult<Int>) -> ()) {
    completion(.success(1))
  }

  func set(_ value: Int, forKey key: String, completion: @escaping (ShallowsResult<Void>) -> ()) {
    completion(fail(with: Oops(name: "\(value)")))
  }
}

struct UpdatingCounts: Program {
  @available(*, deprecated)
  func run() throws {
    let counts = MemoryStorage<String, Int>(storage: ["a": 1])
    let updated = result { counts.update(forKey: "a", { $0 += 1 }, completion: $0) }
    #expect(updated.value == 2 && counts.storage == ["a": 2])
    let missing = result { counts.update(forKey: "b", { $0 += 1 }, completion: $0) }.error
    #expect(missing.map { "\($0)" } == "noValue" && counts.storage == ["a": 2])
    counts.defaulting(to: 10).update(forKey: "b", { $0 += 1 })
    #expect(counts.storage == ["a": 2, "b": 11])
    let refused = result { Stuck().update(forKey: "a", { $0 += 1 }, completion: $0) }.error
    #expect(refused as? Oops == Oops(name: "2"))
    let single = counts.singleKey("a")
    single.update { $0 = 7 }
    #expect(counts.storage["a"] == 7)
  }
}

struct UpdatingTiers: Program {
  @available(*, deprecated)
  func run() throws {
    let (front, back) = (MemoryStorage<String, [Int]>(), MemoryStorage<String, [Int]>(storage: ["a": [1]]))
    let lists = front.combined(with: back)
    lists.update(forKey: "a", { $0.append(2) })
    #expect(front.storage == ["a": [1, 2]] && back.storage == ["a": [1, 2]])
    let backed = front.backed(by: back)
    front.storage = [:]
    backed.update(forKey: "a", { $0.append(3) })
    #expect(front.storage == ["a": [1, 2, 3]] && back.storage == ["a": [1, 2]])
  }
}

struct SettingWithoutCompletion: Program {
  @available(*, deprecated)
  func run() throws {
    let memory = MemoryStorage<String, Int>()
    memory.asStorage().set(1, forKey: "a")
    memory.mapKeys { (number: Int) in "\(number)" }.set(2, forKey: 2)
    memory.singleKey("single").set(3)
    Storage<String, Int>.empty().set(4, forKey: "b")
    #expect(memory.storage == ["a": 1, "2": 2, "single": 3])
  }
}

struct UpdatingFiles: Program {
  let place: Place

  @available(*, deprecated)
  func run() throws {
    let scratch = Scratch()
    let counts = place.open(scratch.url).mapJSONObject([Int].self).defaulting(to: [])
    // One after another: each waits for the one before.
    for number in 0..<10 {
      _ = result { counts.update(forKey: "a", { $0.append(number) }, completion: $0) }
    }
    #expect(try counts.makeSyncStorage().retrieve(forKey: "a") == Array(0..<10))
    // All at once: each reads before any has set, or after; the last one that sets wins, and nothing else is sure.
    let group = DispatchGroup()
    for number in 0..<10 {
      counts.update(forKey: "b", { $0.append(number) }, completion: group.entered { _ in })
    }
    group.wait()
    #expect(try counts.makeSyncStorage().retrieve(forKey: "b").count >= 1)
  }
}

@Suite struct UpdateScenarios {
  @Test(
    arguments: [UpdatingCounts(), UpdatingTiers(), SettingWithoutCompletion()] as [any Program]
      + Place.all.map { UpdatingFiles(place: $0) as any Program })
  func `An update retrieves, changes and sets`(_ program: any Program) throws {
    try program.run()
  }
}
