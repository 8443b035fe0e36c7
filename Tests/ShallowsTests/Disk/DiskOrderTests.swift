import Dispatch
import Foundation
import Shallows
import Testing

@Suite struct DiskOrderTests {
  private let scratch: ScratchFolder
  private let disk = DiskStorage()
  private let folder: DiskFolderStorage

  init() throws {
    scratch = try ScratchFolder()
    folder = DiskFolderStorage(
      folderURL: scratch.file("f"), diskStorage: disk.asStorage(), filenameEncoder: .noEncoding)
  }

  @Test func `A call sees what the calls before it did, though none was waited for`() async throws {
    let seen = Shared([Data?]())
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      for number in 0..<30 as Range<UInt8> {
        folder.set(Data([number]), forKey: "a") { _ in }
        folder.retrieve(forKey: "a") { result in seen.change { $0.append(result.value) } }
      }
      folder.remove(forKey: "a") { _ in }
      folder.retrieve(forKey: "a") { result in
        seen.change { $0.append(result.value) }
        continuation.resume()
      }
    }
    #expect(seen.value == (0..<30).map { Data([$0]) } + [nil])
  }

  @Test func `Listing and removing all come after what was asked before`() async throws {
    folder.set(Data([1]), forKey: "a") { _ in }
    #expect(try folder.filenames().map(\.filename) == ["a"])
    for number in 0..<15 { folder.set(Data([1]), forKey: Filename(rawValue: "\(number)")) { _ in } }
    try await folder.removeAll()
    #expect(scratch.exists("f"))
    #expect(try scratch.files() == [])
  }

  @Test func `What completions do for others while these wait for something else is told`() {
    let (disk, sync) = (disk, disk.makeSyncStorage())
    let missing = scratch.file("missing")
    let other = StorageProbe(["a": 1], delivery: .elsewhere).makeSyncStorage()
    let told = DispatchSemaphore(value: 0)
    let count = 600
    for number in 0..<count {
      disk.retrieve(forKey: missing) { _ in
        // It makes way, and may come back to find that it has to do what comes before it.
        if number % 3 > 0 { _ = try? other.retrieve(forKey: "a") }
        if number % 3 == 1 { _ = try? sync.retrieve(forKey: missing) }
        told.signal()
      }
      if number % 50 == 0 { _ = try? sync.retrieve(forKey: missing) }
    }
    #expect((0..<count).allSatisfy { _ in told.wait(timeout: .now() + 60) == .success })
  }

  @Test func `A completion may wait for the storage it is called by, and others still have their turn`()
    async throws
  {
    let seen = Shared([Data?]())
    let (sync, folder) = (folder.makeSyncStorage(), folder)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let pending = Shared(2)
      let finish = { @Sendable in
        if pending.change({
          $0 -= 1; return $0 == 0
        }) {
          continuation.resume()
        }
      }
      folder.set(Data([1]), forKey: "a") { _ in
        for number in 2..<5 as Range<UInt8> {
          try? sync.set(Data([number]), forKey: "a")
          let value = try? sync.retrieve(forKey: "a")
          seen.change { $0.append(value) }
        }
        // Deeper: a completion within a completion waits.
        folder.retrieve(forKey: "a") { _ in
          let value = try? sync.retrieve(forKey: "a")
          seen.change { $0.append(value) }
          finish()
        }
      }
      folder.retrieve(forKey: "nowhere") { _ in finish() }
    }
    #expect(seen.value == [Data([2]), Data([3]), Data([4]), Data([4])])
  }

  @Test func `The order holds, one call at a time, however often a completion waits`() async throws {
    let (sync, folder) = (folder.makeSyncStorage(), folder)
    let order = Shared([Int]())
    let running = Shared(0)
    let overlaps = Shared(0)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      folder.set(Data([0]), forKey: "a") { _ in
        for round in 0..<50 {
          for call in 0..<20 {
            folder.retrieve(forKey: "a") { _ in
              if running.change({
                $0 += 1; return $0 > 1
              }) {
                overlaps.change { $0 += 1 }
              }
              order.change { $0.append(round * 20 + call) }
              running.change { $0 -= 1 }
            }
            // This wait begins while others are still to be called.
            if call == 10 { _ = try? sync.retrieve(forKey: "nowhere") }
          }
        }
        folder.retrieve(forKey: "a") { _ in continuation.resume() }
      }
    }
    #expect(order.value == Array(0..<1000))
    #expect(overlaps.value == 0)
  }

  @Test func `Clearing waits for nobody`() throws {
    try folder.makeSyncStorage().set(Data([1]), forKey: "a")
    let (told, cleared) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    folder.retrieve(forKey: "a") { _ in
      // As one that has to get to the thread that clears.
      cleared.wait()
      told.signal()
    }
    folder.clear()
    #expect(!scratch.exists("f"))
    cleared.signal()
    told.wait()
  }

  @Test func `Keys suspend a task, and do not hold its thread`() async throws {
    try await folder.set(Data([1]), forKey: "a")
    let isAsked = DispatchSemaphore(value: 0)
    folder.retrieve(forKey: "a") { _ in
      isAsked.wait()
      // Ends only if the main actor is free while it awaits the keys.
      DispatchQueue.main.sync {}
    }
    let folder = folder
    let keys = try await Task { @MainActor in
      isAsked.signal()
      var keys: [Filename] = []
      for try await key in folder.keys() { keys.append(key) }
      return keys
    }.value
    #expect(keys == ["a"])
  }

  @Test func `Any number of completions may wait for the storage they are called by`() async throws {
    try await folder.set(Data([7]), forKey: "a")
    let (sync, folder) = (folder.makeSyncStorage(), folder)
    let order = Shared([Int]())
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      for number in 0..<2_000 {
        folder.retrieve(forKey: "a") { _ in
          guard (try? sync.retrieve(forKey: "a")) == Data([7]) else { return }
          order.change { $0.append(number) }
          if number == 1_999 { continuation.resume() }
        }
      }
    }
    #expect(order.value == Array(0..<2_000))
  }

  @Test func `A chain of calls, each made by the completion of the one before, ends however long it is`()
    async
  {
    let folder = folder
    let count = Shared(0)
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      @Sendable func next() {
        folder.retrieve(forKey: "nowhere") { _ in
          let isLast = count.change {
            $0 += 1; return $0 == 20_000
          }
          isLast ? continuation.resume() : next()
        }
      }
      next()
    }
    #expect(count.value == 20_000)
  }

  @Test func `The calls of many threads all complete, once each`() async {
    let folder = folder
    let completions = Shared([Int: Int]())
    await withTaskGroup { group in
      for task in 0..<8 {
        group.addTask {
          for call in 0..<5 {
            let name = Filename(rawValue: "\(task)-\(call)")
            try? await folder.set(Data([UInt8(call)]), forKey: name)
            let value = try? await folder.retrieve(forKey: name)
            completions.change {
              $0[task * 5 + call, default: 0] += value == Data([UInt8(call)]) ? 1 : 1000
            }
          }
        }
      }
    }
    #expect(completions.value == Dictionary(uniqueKeysWithValues: (0..<40).map { ($0, 1) }))
  }
}
