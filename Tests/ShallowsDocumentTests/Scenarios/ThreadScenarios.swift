import Foundation
import Shallows
import Testing

@Suite struct ThreadScenarios {
  private let scratch = Scratch()

  @Test(arguments: Place.all)
  func `Many queues set and retrieve at once, and every call is told`(_ place: Place) throws {
    let disk = place.open(scratch.url).mapString().usingStringKeys()
    let memory = MemoryStorage<String, String>()
    let both = memory.combined(with: disk)
    let group = DispatchGroup()
    let transcript = Transcript()
    DispatchQueue.concurrentPerform(iterations: 8) { queue in
      for number in 0..<50 {
        let key = "\(queue)-\(number)"
        both.set(
          key, forKey: key,
          completion: group.entered { _ in
            both.retrieve(forKey: key, completion: group.entered { transcript.say($0.value ?? "nothing") })
          })
      }
    }
    group.wait()
    let keys = (0..<8).flatMap { queue in (0..<50).map { "\(queue)-\($0)" } }
    #expect(transcript.lines.sorted() == keys.sorted() && memory.storage.count == 400)
    for key in keys { #expect(try disk.makeSyncStorage().retrieve(forKey: key) == key) }
  }

  @Test(arguments: Place.all)
  func `Sync storages of many threads wait each for its own call`(_ place: Place) throws {
    let sync = place.open(scratch.url).mapJSONObject(Int.self).usingStringKeys().makeSyncStorage()
    let transcript = Transcript()
    DispatchQueue.concurrentPerform(iterations: 8) { queue in
      for number in 0..<25 {
        do {
          try sync.set(number, forKey: "\(queue)")
          let found = try sync.retrieve(forKey: "\(queue)")
          if found != number { transcript.say("\(queue): \(found) for \(number)") }
        } catch {
          transcript.say("\(error)")
        }
      }
    }
    #expect(transcript.lines == [])
    #expect(try (0..<8).map { try sync.retrieve(forKey: "\($0)") } == Array(repeating: 24, count: 8))
  }

  @Test func `A sync storage waits for a storage that completes on the main queue's or any other thread`()
    throws
  {
    let storage = Storage<String, Int>(
      storageName: "later",
      retrieve: { key, completion in
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) {
          completion(key == "a" ? .success(1) : .failure(Oops()))
        }
      },
      set: { _, _, completion in DispatchQueue.global().async { completion(.failure(Oops())) } })
    let sync = storage.makeSyncStorage()
    #expect(try sync.retrieve(forKey: "a") == 1)
    #expect(throws: Oops()) { try sync.retrieve(forKey: "b") }
    #expect(throws: Oops()) { try sync.set(1, forKey: "a") }
  }

  @Test func `A sync storage is made of closures, too`() throws {
    var values: [String: Int] = [:]
    let sync = SyncStorage<String, Int>(
      storageName: "mine", retrieve: { try values[$0].unwrap(orThrow: Oops()) },
      set: { values[$1] = $0 })
    try sync.set(1, forKey: "a")
    #expect(try sync.retrieve(forKey: "a") == 1 && sync.storageName == "mine")
    #expect(throws: Oops()) { try sync.retrieve(forKey: "b") }
    let reading = ReadOnlySyncStorage<Void, Int>(storageName: "half") { values["a"] ?? 0 }
    #expect(try reading.retrieve() == 1)
    let writing = WriteOnlySyncStorage<Void, Int>(storageName: "half") { value, _ in values["a"] = value }
    try writing.set(2)
    #expect(values == ["a": 2])
  }

  @Test func `A completion may use another storage's sync form`() throws {
    let folder = DiskFolderStorage(folderURL: scratch.url, filenameEncoder: .base64URL).mapString()
    let names = MemoryStorage<Filename, String>(storage: ["a": "b"]).makeSyncStorage()
    try folder.makeSyncStorage().set("a", forKey: "pointer")
    let found = result { completion in
      folder.retrieve(forKey: "pointer") { pointer in
        completion(ShallowsResult { try names.retrieve(forKey: Filename(rawValue: pointer.get())) })
      }
    }
    #expect(found.value == "b")
  }

  @Test(arguments: Place.all)
  func `What is awaited is there, whatever else goes on`(_ place: Place) async throws {
    let storage = MemoryStorage<String, Int>()
      .combined(with: place.open(scratch.url).mapJSONObject(Int.self).usingStringKeys())
      .asyncMapValues(transformIn: { $0 * 2 }, transformOut: { $0 / 2 })
      .validate { $0 % 2 == 0 }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<100 {
        group.addTask {
          try await storage.set(number * 2, forKey: "\(number)")
          let found = try await storage.retrieve(forKey: "\(number)")
          #expect(found == number * 2)
        }
      }
      try await group.waitForAll()
    }
    let single = storage.singleKey("single")
    try await single.set(4)
    #expect(try await single.retrieve() == 4)
    do {
      try await single.set(5)
      Issue.record("an odd number is not valid")
    } catch is ValueValidationError {}
    #expect(try await single.retrieve() == 4)
  }

  @Test func `Completions of many storages may wait for each other`() {
    let count = 70
    let storages = (0..<count).map { _ in MemoryStorage<Int, Int>().synchronizedCalls() }
    let (arrived, gate, group) = (DispatchGroup(), DispatchSemaphore(value: 0), DispatchGroup())
    for storage in storages {
      arrived.enter()
      storage.set(
        1, forKey: 1,
        completion: group.entered { _ in
          arrived.leave()
          gate.wait()
        })
    }
    arrived.wait()
    for _ in storages { gate.signal() }
    group.wait()
  }

  @Test func `A value of a thread-safe holder is changed by one at a time`() {
    final class Holder { var numbers = ThreadSafe<[Int]>([]) }
    let holder = Holder()
    let queue = DispatchQueue(label: "numbers")
    DispatchQueue.concurrentPerform(iterations: 8) { number in
      queue.sync { holder.numbers.write(with: { $0.append(number) }) }
    }
    #expect(holder.numbers.read().sorted() == Array(0..<8))
    holder.numbers.write([])
    #expect(holder.numbers.read() == [])
  }
}
