import Foundation
import Shallows
import Testing

/// A storage of a program's own that completes on a queue, some time after the call.
private final class Slow: StorageProtocol {
  let storageName = "slow"
  private let queue = DispatchQueue(label: "slow")
  private let transcript: Transcript
  private var values: [String: Int] = [:]

  init(_ transcript: Transcript) { self.transcript = transcript }

  func retrieve(forKey key: String, completion: @escaping (ShallowsResult<Int>) -> ()) {
    transcript.say("asked for \(key)")
    queue.async { completion(ShallowsResult { try self.values[key].unwrap() }) }
  }

  func set(_ value: Int, forKey key: String, completion: @escaping (ShallowsResult<Void>) -> ()) {
    transcript.say("given \(key)")
    queue.async {
      self.values[key] = value
      completion(.success(()))
    }
  }
}

@Suite struct OrderScenarios {
  private let scratch = Scratch()
  private let transcript = Transcript()

  @Test func `Memory completes before the call returns, through all that is made of it`() {
    let memory = MemoryStorage<String, Int>()
    let back = MemoryStorage<String, Int>(storage: ["b": 2])
    let storage = memory.combined(with: back).mapValues(transformIn: { $0 * 2 }, transformOut: { $0 / 2 })
      .mapKeys { (key: Character) in String(key) }
      .defaulting(to: 0)
    storage.set(4, forKey: "a") { _ in self.transcript.say("set") }
    transcript.say("returned")
    for key in "abc" {
      storage.retrieve(forKey: key) { self.transcript.say("\(key): \($0.value ?? -1)") }
      transcript.say("returned")
    }
    #expect(
      transcript.lines == ["set", "returned", "a: 4", "returned", "b: 4", "returned", "c: 0", "returned"])
  }

  @Test func `A disk completes on another thread, in the order of the calls`() {
    let folder = DiskFolderStorage(folderURL: scratch.url, filenameEncoder: .base64URL).mapString()
    let group = DispatchGroup()
    let caller = Thread.current
    for number in 0..<50 {
      folder.set(
        "\(number)", forKey: "a",
        completion: group.entered { result in
          self.transcript.say("set \(number) \(result.isSuccess) \(Thread.current == caller)")
        })
      folder.retrieve(
        forKey: "a", completion: group.entered { self.transcript.say("got \($0.value ?? "nothing")") })
    }
    group.wait()
    #expect(transcript.lines == (0..<50).flatMap { ["set \($0) true false", "got \($0)"] })
  }

  @Test func `A disk completes while the caller holds a lock that the completion takes`() {
    let folder = DiskFolderStorage(folderURL: scratch.url, filenameEncoder: .base64URL)
    let (lock, group) = (NSLock(), DispatchGroup())
    lock.withLock {
      folder.set(Data([1]), forKey: "a", completion: group.entered { _ in lock.withLock {} })
      folder.retrieve(forKey: "a", completion: group.entered { _ in lock.withLock {} })
      folder.retrieve(forKey: "b", completion: group.entered { _ in lock.withLock {} })
    }
    group.wait()
  }

  @Test func `A value in memory is told before the disk has done what it was asked`() {
    let folder = DiskFolderStorage(folderURL: scratch.url, filenameEncoder: .base64URL)
    let memory = MemoryStorage<Filename, Data>(storage: ["hot": Data([1])])
    let both = memory.combined(with: folder)
    let (group, gate) = (DispatchGroup(), DispatchSemaphore(value: 0))
    folder.retrieve(forKey: "nothing", completion: group.entered { _ in gate.wait() })
    both.retrieve(forKey: "cold", completion: group.entered { _ in self.transcript.say("cold") })
    both.retrieve(forKey: "hot", completion: group.entered { _ in self.transcript.say("hot") })
    transcript.say("returned")
    gate.signal()
    group.wait()
    #expect(transcript.lines == ["hot", "returned", "cold"])
  }

  @Test func `Synchronized calls are made and told in their order`() {
    let storage = MemoryStorage<String, Int>().synchronizedCalls()
    let group = DispatchGroup()
    let caller = Thread.current
    for number in 0..<100 {
      storage.set(
        number, forKey: "a",
        completion: group.entered { _ in
          self.transcript.say("set \(number) \(Thread.current == caller)")
        })
      storage.retrieve(
        forKey: "a", completion: group.entered { self.transcript.say("got \($0.value ?? -1)") })
    }
    group.wait()
    #expect(transcript.lines == (0..<100).flatMap { ["set \($0) false", "got \($0)"] })
  }

  @Test func `Synchronized calls of a storage that completes later do not wait for each other`() {
    let storage = Slow(transcript).synchronizedCalls()
    let (group, gate) = (DispatchGroup(), DispatchSemaphore(value: 0))
    storage.set(1, forKey: "a", completion: group.entered { _ in gate.wait() })
    let asked = result { completion in
      storage.retrieve(forKey: "b", completion: { _ in })
      while self.transcript.lines.count < 2 { usleep(100) }
      completion(.success(()))
    }
    gate.signal()
    group.wait()
    #expect(asked.isSuccess && transcript.lines == ["given a", "asked for b"])
  }

  @Test func `A completion of a synchronized storage may call it again`() {
    let storage = MemoryStorage<String, Int>().synchronizedCalls()
    let done = DispatchSemaphore(value: 0)
    storage.set(1, forKey: "a") { _ in
      storage.retrieve(forKey: "a") { first in
        storage.set((first.value ?? 0) + 1, forKey: "a") { _ in
          storage.retrieve(forKey: "a") { second in
            self.transcript.say("\(second.value ?? -1)")
            done.signal()
          }
        }
        self.transcript.say("\(first.value ?? -1)")
      }
    }
    done.wait()
    #expect(transcript.lines == ["1", "2"])
  }

  @Test func `A zip and async transforms complete on another thread, though both sides are in memory`() {
    let memory = MemoryStorage<String, Int>(storage: ["a": 1])
    let pairs = zip(memory, MemoryStorage<String, String>(storage: ["a": "x"]))
    let doubled = memory.asyncMapValues(transformIn: { $0 * 2 }, transformOut: { $0 / 2 })
    let named = memory.asyncMapKeys { (number: Int) in number == 0 ? "a" : "b" }
    let (lock, group) = (NSLock(), DispatchGroup())
    lock.withLock {
      pairs.retrieve(forKey: "a", completion: group.entered { _ in lock.withLock {} })
      pairs.set((2, "y"), forKey: "b", completion: group.entered { _ in lock.withLock {} })
      doubled.retrieve(forKey: "a", completion: group.entered { _ in lock.withLock {} })
      doubled.set(4, forKey: "c", completion: group.entered { _ in lock.withLock {} })
      named.retrieve(forKey: 1, completion: group.entered { _ in lock.withLock {} })
      named.set(3, forKey: 0, completion: group.entered { _ in lock.withLock {} })
    }
    group.wait()
    #expect(memory.storage == ["a": 3, "b": 2, "c": 2])
  }

  @Test func `A storage of a program's own completes on whatever thread it likes`() {
    let storage = Slow(transcript)
    let front = MemoryStorage<String, Int>()
    let both = front.combined(with: storage)
    let done = DispatchSemaphore(value: 0)
    both.set(1, forKey: "a") { _ in
      dispatchPrecondition(condition: .notOnQueue(.main))
      self.transcript.say("set")
      done.signal()
    }
    done.wait()
    front.storage = [:]
    both.retrieve(forKey: "a") { result in
      self.transcript.say("\(result.value ?? -1) \(front.storage)")
      done.signal()
    }
    done.wait()
    #expect(transcript.lines == ["given a", "set", "asked for a", "1 [\"a\": 1]"])
  }
}
