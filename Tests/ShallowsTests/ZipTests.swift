import Foundation
import Shallows
import Testing

/// Two storages that are asked for one answer.
struct ZipTests {
  private struct Left: Error {}
  private struct Right: Error {}

  private let left = StorageProbe(["a": 1])
  private let right = StorageProbe(["a": 2])

  private func retrieveError<Value>(_ storage: ReadOnlyStorage<String, Value>) -> ZippedResultError? {
    results { storage.retrieve(forKey: "a", completion: $0) }.first?.error as? ZippedResultError
  }

  private func setError(_ storage: WriteOnlyStorage<String, (Int, Int)>) -> ZippedResultError? {
    results { storage.set((5, 6), forKey: "a", completion: $0) }.first?.error as? ZippedResultError
  }

  @Test func `A zip has both values, and sets both`() throws {
    let full = zip(left, right).makeSyncStorage()
    let reading = zip(left.asReadOnlyStorage(), right.asReadOnlyStorage()).makeSyncStorage()
    let writing = zip(left.asWriteOnlyStorage(), right.asWriteOnlyStorage()).makeSyncStorage()
    #expect(try full.retrieve(forKey: "a") == (1, 2))
    try full.set((3, 4), forKey: "a")
    #expect(try reading.retrieve(forKey: "a") == (3, 4))
    try writing.set((5, 6), forKey: "a")
    #expect(left.values == ["a": 5] && right.values == ["a": 6])
  }

  @Test(arguments: 1..<4)
  func `One failure, or two, are told side by side`(failing: Int) {
    for call in [StorageProbe.Call.retrieve, .set] {
      left.fail(call, with: failing & 1 == 0 ? nil : Left())
      right.fail(call, with: failing & 2 == 0 ? nil : Right())
    }
    let errors = [
      retrieveError(zip(left, right).asReadOnlyStorage()),
      retrieveError(zip(left.asReadOnlyStorage(), right.asReadOnlyStorage())),
      setError(zip(left, right).asWriteOnlyStorage()),
      setError(zip(left.asWriteOnlyStorage(), right.asWriteOnlyStorage())),
    ]
    for error in errors {
      #expect((error?.left is Left) == (failing & 1 != 0) && (error?.right is Right) == (failing & 2 != 0))
      #expect((error?.left == nil) == (failing & 1 == 0) && (error?.right == nil) == (failing & 2 == 0))
    }
    // A side that can be set is, whatever becomes of the other.
    #expect(left.values == (failing & 1 == 0 ? ["a": 5] : ["a": 1]))
    #expect(right.values == (failing & 2 == 0 ? ["a": 6] : ["a": 2]))
  }

  @Test func `It completes when both sides have, whichever comes first, and neither waits for the other`() {
    for slow in [left, right] {
      let quick = slow === left ? right : left
      slow.hold([.retrieve])
      let told = ResultList<(Int, Int)>()
      zip(left, right).retrieve(forKey: "a") { told.append($0) }
      slow.waitForHeldCall()
      #expect(told.all.isEmpty && quick.count(.retrieve) >= 1)
      slow.release()
      told.waitForOne()
      #expect(told.all.count == 1 && told.all.first?.isSuccess == true)
      slow.hold([])
    }
  }

  @Test func `Who calls a zip may hold a lock that the completion takes`() {
    let lock = NSLock()
    let (one, other) = (MemoryStorage(storage: ["a": 1]), MemoryStorage(storage: ["a": 2]))
    let sums = zip(one, other).mapValues(transformIn: { $0 + $1 }, transformOut: { ($0, 0) })
    let told = ResultList<Int>()
    lock.withLock {
      sums.retrieve(forKey: "a") { result in lock.withLock { told.append(result) } }
    }
    told.waitForOne()
    #expect(told.all.map(\.value) == [3])
  }

  @Test func `A miss of both sides is a miss, and another failure is not`() {
    let missing = zip(left, right).mapKeys { (_: String) in "missing" }.asReadOnlyStorage()
    #expect(retrieveError(missing)?.isNoValue == true)
    left.fail(.retrieve, with: Left())
    #expect(retrieveError(missing)?.isNoValue == false)
    #expect(ZippedResultError(left: nil, right: StorageError.noValue).isNoValue)
  }

  @Test func `Zips of zips are told apart by their sides`() throws {
    let storage = zip(
      zip(left, right), left.mapValues(transformIn: { "\($0)" }, transformOut: { Int($0) ?? 0 }))
    let ((first, second), third) = try storage.makeSyncStorage().retrieve(forKey: "a")
    #expect(first == 1 && second == 2 && third == "1")
  }
}
