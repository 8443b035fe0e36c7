import Foundation
import Shallows
import Synchronization

/// A wall clock that stands still until a test moves it.
final class LRUClock: Sendable {
  private let milliseconds = Atomic<UInt64>(1_000_000)
  private let reads = Atomic<Int>(0)

  var now: UInt64 {
    get { milliseconds.load(ordering: .relaxed) }
    set { milliseconds.store(newValue, ordering: .relaxed) }
  }

  /// How often the storage looked at it.
  var readCount: Int { reads.load(ordering: .relaxed) }

  var read: @Sendable () -> UInt64 {
    {
      self.reads.add(1, ordering: .relaxed)
      return self.now
    }
  }
}

/// A key whose hash is one of few.
struct CrowdedKey: Hashable, Sendable {
  let number: Int
  let hashCount: Int

  func hash(into hasher: inout Hasher) {
    hasher.combine(number % hashCount)
  }
}

/// A key that gives its own hash, and a poor one.
struct PlainHashKey: Hashable, Sendable {
  let number: Int

  var hashValue: Int { number << 32 }

  func hash(into hasher: inout Hasher) {
    hasher.combine(number)
  }
}

/// Does something when it ends.
final class Ending: Sendable {
  private let atEnd: @Sendable () -> Void

  init(_ atEnd: @escaping @Sendable () -> Void) {
    self.atEnd = atEnd
  }

  deinit {
    atEnd()
  }
}

/// Runs a body on so many threads of their own at once, and waits for all of them.
func onThreads(_ count: Int, _ body: @escaping @Sendable (_ number: Int) -> Void) {
  let group = DispatchGroup()
  for number in 0..<count {
    group.enter()
    let thread = Thread {
      body(number)
      group.leave()
    }
    thread.stackSize = 1 << 20
    thread.start()
  }
  group.wait()
}

/// Fewer rounds without optimization, which show the same.
let testScale = _isDebugAssertConfiguration() ? 10 : 1

extension StorageExpiry {
  static func at(milliseconds: UInt64) -> StorageExpiry {
    .at(Date(timeIntervalSince1970: Double(milliseconds) / 1_000))
  }
}
