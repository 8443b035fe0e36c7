import Dispatch
import Foundation
import Sediment
import Shallows
import Testing

/// Very many calls: chains whose completions make the next one, and threads that wait for each other.
struct ChainTests {
  private static let count = 200_000

  private func storage(_ number: Int, _ folder: TestFolder) throws -> Storage<String, Int> {
    let memory = MemoryStorage(storage: ["a": 1])
    switch number {
    case 0: return memory.asStorage()
    case 1:
      let lru = LRUStorage<String, Int>(capacity: .count(1))
      lru.insert(1, forKey: "a")
      return lru.asStorage()
    case 2: return zip(memory, memory).mapValues(transformIn: { $0.0 }, transformOut: { ($0, $0) })
    case 3:
      let log = SedimentStorage(try SedimentStore(url: folder.file("a.sediment"))).numbers
      try log.makeSyncStorage().set(1, forKey: "a")
      return log
    default: return MemoryStorage().combined(with: memory.coalescingRetrievals()).defaulting(to: 0)
    }
  }

  @Test(arguments: 0..<5)
  func `A chain of calls that are answered at once ends however long it is`(number: Int) throws {
    let folder = try TestFolder()
    let storage = try storage(number, folder)
    let end = DispatchSemaphore(value: 0)
    let (left, sum) = (Shared(number == 2 ? Self.count / 10 : Self.count), Shared(0))
    let all = left.value
    @Sendable func next() {
      storage.retrieve(forKey: "a") { result in
        sum.change { $0 += result.value ?? 0 }
        let isLast = left.change { left in
          left -= 1
          return left == 0
        }
        if isLast { end.signal() } else { next() }
      }
    }
    next()
    end.wait()
    #expect(sum.value == all)
  }

  @Test(arguments: [StorageProbe.Delivery.inline, .elsewhere])
  func `Closures of many calls may wait for async closures`(delivery: StorageProbe.Delivery) {
    let sync = StorageProbe(["a": 1], delivery: delivery).validate { _ in true }.makeSyncStorage()
    let storage = MemoryStorage(storage: ["a": 1]).asyncMapValues(
      transformIn: { try $0 + sync.retrieve(forKey: "a") }, transformOut: { $0 })
    let told = ResultList<Int>()
    for _ in 0..<2_000 { storage.retrieve(forKey: "a") { told.append($0) } }
    for _ in 0..<2_000 { told.waitForOne() }
    #expect(told.all.compactMap(\.value) == Array(repeating: 2, count: 2_000))
  }

  @Test(arguments: 0..<5)
  func `A burst of calls that do not wait is told on few threads`(number: Int) async {
    // In a process of its own: threads that have slept for others do these calls, too.
    await #expect(processExitsWith: .success) { [number = number as Int] in
      let count = try Self.threadCountOfBurst(number)
      // As many as may be wakened soon, where the machine lets none of them get on.
      #expect(count <= max(64, ProcessInfo.processInfo.activeProcessorCount))
    }
  }

  private static func threadCountOfBurst(_ number: Int) throws -> Int {
    let scratch = try ScratchFolder()
    let memory = MemoryStorage(storage: ["a": 1])
    let storage =
      switch number {
      case 0: memory.synchronizedCalls()
      case 1: memory.asyncMapValues(transformIn: { $0 }, transformOut: { $0 })
      case 2: memory.asyncMapKeys { $0 }
      case 3: zip(memory, memory).mapValues(transformIn: { $0.0 }, transformOut: { ($0, $0) })
      default:
        DiskFolderStorage(folderURL: scratch.file("f"), filenameEncoder: .noEncoding).usingStringKeys()
          .mapJSONObject(Int.self).defaulting(to: 1)
      }
    let (told, threads) = (ResultList<Int>(), Shared(Set<ObjectIdentifier>()))
    for _ in 0..<10_000 {
      storage.retrieve(forKey: "a") { result in
        let thread = ObjectIdentifier(Thread.current)
        threads.change { _ = $0.insert(thread) }
        told.append(result)
      }
    }
    for _ in 0..<10_000 { told.waitForOne() }
    #expect(told.all.allSatisfy { $0.value == 1 } && told.all.count == 10_000)
    return threads.value.count
  }

  @Test func `Completions of many calls may wait for another composition of the same disk`() throws {
    let scratch = try ScratchFolder()
    let disk = DiskStorage().asStorage()
    let folder = DiskFolderStorage(
      folderURL: scratch.file("f"), diskStorage: disk, filenameEncoder: .noEncoding)
    try folder.makeSyncStorage().set(Data([7]), forKey: "a")
    let slow = folder.asyncMapKeys { (key: Filename) in key }
      .combined(with: folder.asyncMapValues(transformIn: { $0 }, transformOut: { $0 })).makeSyncStorage()
    let told = ResultList<Data>()
    for _ in 0..<300 {
      folder.retrieve(forKey: "a") { _ in told.append(Result { try slow.retrieve(forKey: "a") }) }
    }
    for _ in 0..<300 { told.waitForOne() }
    #expect(told.all.compactMap(\.value) == Array(repeating: Data([7]), count: 300))
  }
}
