import Dispatch
import Foundation
import Shallows
import Testing

/// Storages in memory that are asked at any depth of a recursion: they answer before they return.
struct RecursionTests {
  /// A storage that need not wait, by its name.
  struct Kind: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable () -> Storage<Int, Int>

    static let all = [
      Kind(testDescription: "memory") { MemoryStorage().asStorage() },
      Kind(testDescription: "lru") { LRUStorage(capacity: .count(10_000)).asStorage() },
      Kind(testDescription: "combined") {
        MemoryStorage().combined(with: LRUStorage(capacity: .count(10_000))).mapValues(
          transformIn: { $0 + 1 }, transformOut: { $0 - 1 })
      },
      Kind(testDescription: "backed") { MemoryStorage().backed(by: MemoryStorage(storage: [0: 0])) },
    ]
  }

  /// Runs something on a thread with a stack of its own.
  private static func onThread(stackByteCount: Int = 8 << 20, _ body: @escaping @Sendable () -> Void) {
    let end = DispatchSemaphore(value: 0)
    let thread = Thread {
      body()
      end.signal()
    }
    thread.stackSize = stackByteCount
    thread.start()
    end.wait()
  }

  /// A recursion that keeps its results in a storage, and counts its calls.
  private final class Memo: @unchecked Sendable {
    // Used by one thread after another.
    private let storage: Storage<Int, Int>
    private(set) var callCount = 0

    init(_ storage: Storage<Int, Int>) { self.storage = storage }

    /// Asks, and goes on once it has returned.
    func value(_ number: Int) -> Int {
      callCount += 1
      if number < 2 { return number }
      if let known = known(number) { return known }
      // As much as a program's own frames may take.
      let new = unsafe withUnsafeTemporaryAllocation(byteCount: 2_048, alignment: 8) { _ in
        value(number - 1) &+ value(number - 2)
      }
      storage.set(new, forKey: number) { _ in }
      return new
    }

    private func known(_ number: Int) -> Int? {
      var found: Int?
      storage.retrieve(forKey: number) { found = try? $0.get() }
      return found
    }

    /// Goes deeper within the completion.
    func valueWithin(_ number: Int) -> Int {
      callCount += 1
      if number < 2 { return number }
      var value = 0
      storage.retrieve(forKey: number) { [self] result in
        value = (try? result.get()) ?? valueWithin(number - 1) &+ valueWithin(number - 2)
        storage.set(value, forKey: number) { _ in }
      }
      return value
    }
  }

  @Test(arguments: Kind.all, [false, true])
  func `A recursion that keeps its results in memory makes each call once`(kind: Kind, isWithin: Bool) {
    let memo = Memo(kind.make())
    let depth = isWithin ? 400 : 1_200
    Self.onThread { _ = isWithin ? memo.valueWithin(depth) : memo.value(depth) }
    #expect(memo.callCount == 2 * depth - 1)
  }

  @Test(arguments: Kind.all)
  func `A call is completed before it returns, to the end of the stack`(kind: Kind) {
    let storage = kind.make()
    storage.set(7, forKey: 1) { _ in }
    let (misses, calls) = (Counter(), Counter())
    @Sendable func descend(_ depth: Int) {
      if depth == 0 { return }
      var value: Int?
      storage.retrieve(forKey: 1) { value = try? $0.get() }
      calls.add()
      if value != 7 { misses.add() }
      unsafe withUnsafeTemporaryAllocation(byteCount: 4_096, alignment: 8) { _ in descend(depth - 1) }
    }
    // Nine tenths of it, by the parts that are known.
    Self.onThread { descend((8 << 20) * 9 / 10 / 5_000) }
    #expect(misses.value == 0 && calls.value == (8 << 20) * 9 / 10 / 5_000)
  }

  @Test(arguments: [1 << 19, 1 << 20, 8 << 20])
  func `A chain that begins on a stack of any size ends`(stackByteCount: Int) {
    let storage = MemoryStorage(storage: [1: 1])
    let (left, end) = (Shared(100_000), DispatchSemaphore(value: 0))
    @Sendable func next() {
      storage.retrieve(forKey: 1) { _ in
        let isLast = left.change { left in
          left -= 1
          return left == 0
        }
        if isLast { end.signal() } else { next() }
      }
    }
    Self.onThread(stackByteCount: stackByteCount) { next() }
    end.wait()
    #expect(left.value == 0)
  }
}
