import Foundation
import Shallows
import Testing

/// Numbers that are the same in every run.
private struct Numbers {
  private var state: UInt64

  init(_ seed: Int) { state = UInt64(seed) &* 7919 &+ 17 }

  mutating func next(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }
}

/// A storage of a program's own that fails for some keys and values, at once or on a queue.
private final class Fickle: StorageProtocol {
  let storageName: String
  private let transcript: Transcript
  private let kind: Int
  private let queue = DispatchQueue(label: "fickle")
  private var values: [Int: Int] = [:]

  init(_ name: String, _ transcript: Transcript, kind: Int) {
    storageName = name
    self.transcript = transcript
    self.kind = kind
  }

  func retrieve(forKey key: Int, completion: @escaping (ShallowsResult<Int>) -> ()) {
    transcript.say("\(storageName)?\(key)")
    let value = key % 5 == kind ? nil : values[key]
    complete {
      completion(ShallowsResult { try value.unwrap(orThrow: Oops(name: "\(self.storageName)?\(key)")) })
    }
  }

  func set(_ value: Int, forKey key: Int, completion: @escaping (ShallowsResult<Void>) -> ()) {
    transcript.say("\(storageName)=\(key):\(value)")
    guard (value + key) % 7 != kind else {
      return complete { completion(fail(with: Oops(name: "\(self.storageName)=\(key)"))) }
    }
    values[key] = value
    complete { completion(.success(())) }
  }

  private func complete(_ body: @escaping () -> Void) {
    if kind % 2 == 0 { body() } else { queue.async { body() } }
  }
}

/// Storages that are made of others by chance.
private struct Builder {
  var numbers: Numbers
  let transcript: Transcript
  private var count = 0

  init(_ numbers: Numbers, _ transcript: Transcript) {
    self.numbers = numbers
    self.transcript = transcript
  }

  mutating func storage(depth: Int) -> Storage<Int, Int> {
    count += 1
    let number = count
    if depth == 0 || numbers.next(below: 6) == 0 { return plain(number) }
    let first = storage(depth: depth - 1)
    let kind = numbers.next(below: 18)
    return kind < 9 ? transformed(first, kind, number) : composed(first, kind, depth: depth - 1)
  }

  private mutating func plain(_ number: Int) -> Storage<Int, Int> {
    switch numbers.next(below: 6) {
    case 0: return MemoryStorage<Int, Int>(storage: [1: 10 + number, 2: 20 + number]).asStorage()
    case 1: return MemoryStorage<Int, Int>().asStorage()
    case 2: return Storage<Int, Int>.empty()
    default: return Fickle("own\(number)", transcript, kind: numbers.next(below: 4)).asStorage()
    }
  }

  private func transformed(_ storage: Storage<Int, Int>, _ kind: Int, _ number: Int) -> Storage<Int, Int> {
    func unless(_ isWrong: Bool, _ value: Int, _ name: String) throws -> Int {
      if isWrong { throw Oops(name: "\(name)\(number)") }
      return value
    }
    switch kind {
    case 0:
      return storage.mapValues(
        transformIn: { try unless($0 % 9 == 8, $0 + 1, "in") },
        transformOut: { try unless($0 % 9 == 7, $0 - 1, "out") })
    case 1: return storage.mapKeys { try unless($0 == 3, $0 + 1, "key") }
    case 2: return storage.fallback { try unless(number % 3 == 0, 100 + number, "fallback<\(told($0))>") }
    case 3: return storage.defaulting(to: 200 + number)
    case 4:
      return storage.asyncMapValues(
        transformIn: { try unless($0 % 9 == 5, $0 + 2, "in") },
        transformOut: { try unless($0 % 9 == 4, $0 - 2, "out") })
    case 5: return storage.asyncMapKeys { try unless($0 == 2, $0 ^ 1, "key") }
    case 6: return storage.validate { $0 % 11 != 3 }
    case 7: return storage.synchronizedCalls().renaming(to: "renamed\(number)")
    default:
      return storage.mapValues(transformIn: { "\($0)" }, transformOut: { try Int($0).unwrap() })
        .mapValues(transformIn: { try Int($0).unwrap() }, transformOut: { $0 % 13 == 12 ? "x" : "\($0)" })
    }
  }

  private mutating func composed(_ first: Storage<Int, Int>, _ kind: Int, depth: Int) -> Storage<Int, Int> {
    let second = storage(depth: depth)
    switch kind {
    case 9, 10: return first.combined(with: second)
    case 11: return first.backed(by: second)
    case 12: return first.backed(by: second.asReadOnlyStorage())
    case 13:
      return Storage(read: first.asReadOnlyStorage().backed(by: second), write: first.pushing(to: second))
    case 14:
      return zip(first, second).mapValues(
        transformIn: { $0 * 1000 + $1 }, transformOut: { ($0 / 2, $0 - $0 / 2) })
    case 15:
      let doubled = first.asReadOnlyStorage().usingUnsupportedTransformation {
        $0.mapValues(transformIn: { $0 * 2 }, transformOut: { $0 / 2 })
      }
      return Storage(storageName: "halves", read: doubled, write: second.asWriteOnlyStorage())
    case 16:
      let steps = first.dev
      return Storage(
        storageName: "steps", retrieve: { steps.retrieve(forKey: $0, backedBy: second, completion: $1) },
        set: { steps.set($0, forKey: $1, pushingTo: second, completion: $2) })
    default: return first.combined(with: second).combined(with: storage(depth: depth))
    }
  }
}

/// An error in words that every version has for it.
private func told(_ error: Error) -> String {
  switch error {
  case let error as Oops: return error.name
  case let error as ZippedResultError:
    return "(\(error.left.map(told) ?? "-"), \(error.right.map(told) ?? "-"))"
  case is Int?.UnwrapError: return "unwrap"
  case is EmptyCacheError: return "empty"
  default: return "\(error)"
  }
}

private func told<Value>(_ result: Result<Value, Error>, _ words: (Value) -> String) -> String {
  switch result {
  case .success(let value): return words(value)
  case .failure(let error): return "failed: \(told(error))"
  }
}

@Suite struct RandomScenarios {
  /// What a storage that is made by chance answers to calls that are made by chance, and what it asks of the program's
  /// own storages for that.
  private func run(seed: Int, byReturning: Bool) -> [String] {
    let transcript = Transcript()
    var builder = Builder(Numbers(seed), transcript)
    let depth = 1 + builder.numbers.next(below: 4)
    let storage = builder.storage(depth: depth)
    let sync = storage.makeSyncStorage()
    var lines = [storage.storageName]
    for _ in 0..<12 {
      let (key, value) = (builder.numbers.next(below: 4), builder.numbers.next(below: 60))
      let answer: String
      if builder.numbers.next(below: 2) == 0 {
        let found =
          byReturning
          ? Result { try sync.retrieve(forKey: key) }
          : result { storage.retrieve(forKey: key, completion: $0) }
        answer = told(found) { "\(key) is \($0)" }
      } else {
        let done =
          byReturning
          ? Result { try sync.set(value, forKey: key) }
          : result { storage.set(value, forKey: key, completion: $0) }
        answer = told(done) { "\(key) is set to \(value)" }
      }
      // Both sides of a zip are asked at once.
      lines.append(([answer] + transcript.takeLines().sorted()).joined(separator: " "))
    }
    return lines
  }

  /// A number that is another one for other lines, all but surely.
  private func digest(_ lines: [String]) -> UInt64 {
    lines.joined(separator: "\n").utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// Those of the original, for 100 seeds each.
  private static let digests: [UInt64] = [
    0x492A_7351_0319_6B0A, 0x0220_EB03_D323_C6B7, 0x53D1_029C_F9C7_3169, 0xCA16_B1A6_EED2_CDA0,
    0x6EEA_172E_FB5F_587D, 0x3805_07C2_A51C_DD64, 0xC1CD_615B_C34C_1896, 0x31AF_F0C6_6384_9D6B,
    0xC8E4_2697_7203_CB13, 0x1643_2EE5_AF27_70FA, 0xEBA0_F52B_02B9_4575, 0x677A_D6B2_0F7B_BE5C,
    0xB8F3_B3C4_26DD_3984, 0x106D_19BE_5227_B15C, 0x7342_6F06_D205_176D, 0x71B6_6B62_C4B6_FF86,
    0x4964_3492_14D0_6573, 0x00B0_703E_0DBF_8122, 0xC200_AD39_1C15_CA28, 0xC42A_6D85_A31E_D87C,
  ]

  @Test(arguments: digests.indices, [false, true])
  func `Storages made by chance answer as they always have, and ask the same`(_ index: Int, byReturning: Bool)
  {
    let found = digest((0..<100).flatMap { run(seed: index * 100 + $0, byReturning: byReturning) })
    #expect(found == Self.digests[index], "\(found)")
  }
}
