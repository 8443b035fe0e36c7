import Foundation
import Shallows
import Testing

/// A storage of a program's own that says what it is asked, and fails when it is told to.
private final class Teller: StorageProtocol {
  let storageName: String
  var values: [String: Int]
  var failsToRetrieve = false
  var failsToSet = false
  private let transcript: Transcript

  init(_ name: String, _ transcript: Transcript, _ values: [String: Int] = [:]) {
    storageName = name
    self.transcript = transcript
    self.values = values
  }

  func retrieve(forKey key: String, completion: @escaping (ShallowsResult<Int>) -> ()) {
    transcript.say("\(storageName)?")
    guard !failsToRetrieve, let value = values[key] else {
      return completion(fail(with: Oops(name: storageName)))
    }
    completion(succeed(with: value))
  }

  func set(_ value: Int, forKey key: String, completion: @escaping (ShallowsResult<Void>) -> ()) {
    transcript.say("\(storageName)=\(value)")
    if failsToSet { return completion(fail(with: Oops(name: storageName))) }
    values[key] = value
    completion(.success(()))
  }
}

@Suite struct CompositionScenarios {
  private let transcript = Transcript()
  private let front: Teller
  private let back: Teller

  init() {
    front = Teller("front", transcript, ["both": 1, "front": 2])
    back = Teller("back", transcript, ["both": 10, "back": 20])
  }

  /// What a storage answers for keys, with what was asked meanwhile.
  private func answers<StorageType: ReadableStorageProtocol>(
    _ storage: StorageType, _ keys: String...
  ) -> [String] where StorageType.Key == String, StorageType.Value == Int {
    for key in keys {
      let found = result { storage.retrieve(forKey: key, completion: $0) }
      transcript.say(found.value.map { "\($0)" } ?? (found.error as? Oops)?.name ?? "?")
    }
    return transcript.lines
  }

  private func answer<StorageType: WritableStorageProtocol>(
    _ storage: StorageType, setting value: Int, _ key: String
  ) -> [String] where StorageType.Key == String, StorageType.Value == Int {
    let done = result { storage.set(value, forKey: key, completion: $0) }
    transcript.say(done.isSuccess ? "done" : (done.error as? Oops)?.name ?? "?")
    return transcript.lines
  }

  @Test func `Combined: the front, else the back, whose value the front gets`() {
    let both = front.combined(with: back)
    #expect(
      answers(both, "both", "back", "back", "none") == [
        "front?", "1", "front?", "back?", "front=20", "20", "front?", "20", "front?", "back?", "back",
      ])
    #expect(front.values == ["both": 1, "front": 2, "back": 20] && back.values == ["both": 10, "back": 20])
  }

  @Test func `Combined: the front is set, then the back`() {
    #expect(answer(front.combined(with: back), setting: 3, "a") == ["front=3", "back=3", "done"])
    #expect(front.values["a"] == 3 && back.values["a"] == 3)
  }

  @Test func `Combined: a front that fails to set keeps the back from being set`() {
    front.failsToSet = true
    #expect(answer(front.combined(with: back), setting: 3, "a") == ["front=3", "front"])
    #expect(back.values["a"] == nil)
  }

  @Test func `Combined: a back that fails to set leaves the value in the front`() {
    back.failsToSet = true
    #expect(answer(front.combined(with: back), setting: 3, "a") == ["front=3", "back=3", "back"])
    #expect(front.values["a"] == 3)
  }

  @Test func `Combined: a front that cannot keep what was pulled does not spoil the answer`() {
    front.failsToSet = true
    #expect(answers(front.combined(with: back), "back") == ["front?", "back?", "front=20", "20"])
  }

  @Test func `Combined: a front that cannot be read is asked no more than once, and the back answers`() {
    front.failsToRetrieve = true
    #expect(answers(front.combined(with: back), "both") == ["front?", "back?", "front=10", "10"])
    #expect(front.values["both"] == 10)
  }

  @Test func `Backed: values are pulled, and set to the front alone`() {
    let storage = front.backed(by: back)
    #expect(answers(storage, "back", "both") == ["front?", "back?", "front=20", "20", "front?", "1"])
    #expect(answer(storage, setting: 4, "a").suffix(2) == ["front=4", "done"])
    #expect(back.values["a"] == nil && front.values["a"] == 4)
  }

  @Test func `Backed by what can only be read`() {
    let storage = front.backed(by: back.asReadOnlyStorage())
    #expect(
      answers(storage, "back", "none") == ["front?", "back?", "front=20", "20", "front?", "back?", "back"])
    let reading = front.asReadOnlyStorage().backed(by: back)
    #expect(answers(reading, "back").suffix(2) == ["front?", "20"])
    front.values = [:]
    #expect(answers(reading, "back").suffix(3) == ["front?", "back?", "20"])
    #expect(front.values == [:])
  }

  @Test func `Pushing: one, then the other, unless the first fails`() {
    let both = front.pushing(to: back)
    #expect(answer(both, setting: 5, "a") == ["front=5", "back=5", "done"])
    front.failsToSet = true
    #expect(answer(both, setting: 6, "a").suffix(2) == ["front=6", "front"])
    #expect(back.values["a"] == 5)
    (front.failsToSet, back.failsToSet) = (false, true)
    #expect(answer(both, setting: 7, "a").suffix(3) == ["front=7", "back=7", "back"])
    #expect(both.storageName == "front-back")
  }

  @Test func `Single steps push and pull`() {
    let pushed = result { front.dev.set(8, forKey: "a", pushingTo: back, completion: $0) }
    #expect(pushed.isSuccess && front.values["a"] == 8 && back.values["a"] == 8)
    let pulled = result { front.dev.retrieve(forKey: "back", backedBy: back, completion: $0) }
    #expect(pulled.value == 20 && front.values["back"] == 20)
  }

  @Test func `Three tiers: each that lacks the value gets it`() {
    let last = Teller("last", transcript, ["x": 100])
    let all = front.combined(with: back).combined(with: last)
    #expect(
      answers(all, "x") == ["front?", "back?", "last?", "front=100", "back=100", "100"])
    let other = Teller("first", transcript).combined(with: front.combined(with: back))
    #expect(answers(other, "back").suffix(6) == ["first?", "front?", "back?", "front=20", "first=20", "20"])
  }

  @Test func `Three tiers: each is asked once, and set once, though the last is never written`() {
    let last = Teller("last", transcript, ["x": 100])
    #expect(
      answers(front.combined(with: back).backed(by: last), "x") == [
        "front?", "back?", "last?", "front=100", "back=100", "100",
      ])
    front.values = [:]
    let backed = front.backed(by: Teller("none", transcript)).backed(by: last)
    #expect(answers(backed, "x").suffix(5) == ["front?", "none?", "last?", "front=100", "100"])
    #expect(answer(backed, setting: 1, "y").suffix(2) == ["front=1", "done"])
  }

  @Test func `Zip: both values, or which sides have failed`() {
    let pairs = zip(front, back)
    #expect(result { pairs.retrieve(forKey: "both", completion: $0) }.value.map { [$0.0, $0.1] } == [1, 10])
    let kinds = ["front", "back", "none"].map { key -> String in
      let error = result { pairs.retrieve(forKey: key, completion: $0) }.error as? ZippedResultError
      return "\((error?.left as? Oops)?.name ?? "-") \((error?.right as? Oops)?.name ?? "-")"
    }
    #expect(kinds == ["- back", "front -", "front back"])
    #expect(pairs.storageName == "front+back")
  }

  @Test func `Zip: a side that fails to set does not keep the other from it`() {
    let pairs = zip(front, back)
    front.failsToSet = true
    let error = result { pairs.set((1, 2), forKey: "a", completion: $0) }.error as? ZippedResultError
    #expect(error?.left as? Oops == Oops(name: "front") && error?.right == nil)
    #expect(front.values["a"] == nil && back.values["a"] == 2)
    front.failsToSet = false
    #expect(result { pairs.set((3, 4), forKey: "a", completion: $0) }.isSuccess)
    #expect(front.values["a"] == 3 && back.values["a"] == 4)
  }

  @Test func `Zip: halves`() {
    let reading = zip(front.asReadOnlyStorage(), back.asReadOnlyStorage())
    #expect(result { reading.retrieve(forKey: "both", completion: $0) }.value.map { $0 + $1 } == 11)
    let writing = zip(front.asWriteOnlyStorage(), back.asWriteOnlyStorage())
    #expect(result { writing.set((5, 6), forKey: "a", completion: $0) }.isSuccess)
    #expect(front.values["a"] == 5 && back.values["a"] == 6)
  }
}
