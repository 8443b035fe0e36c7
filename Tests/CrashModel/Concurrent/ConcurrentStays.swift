internal import Foundation
package import Sediment
internal import SedimentTesting
internal import Synchronization

/// Threads that stay inside reading closures while another closes the store, opens it again and changes all of its file.
package final class ConcurrentStays: Sendable {
  private static let keyCount = 40
  private static let readerCount = 3

  private let path: String
  private let options: SedimentOptions
  private let seed: UInt64
  private let roundCount: Int
  private let current: Mutex<SedimentStore>
  private let isBusy = Atomic(true)
  private let stays = Atomic(0)
  private let found = Mutex<[String]>([])

  /// Opens a store that is closed so many times.
  package init(path: String, options: SedimentOptions, roundCount: Int, seed: UInt64) throws {
    self.path = path
    self.options = options
    self.roundCount = roundCount
    self.seed = seed
    current = Mutex(try SedimentStore(path: path, options: options))
    try change(current.withLock { $0 }, round: 0)
  }

  package var jobs: [@Sendable () -> Void] {
    let readers = (0..<Self.readerCount).map { reader in
      job { stays in
        var generator = SeededGenerator(seed: stays.seed &* 8 &+ UInt64(reader))
        while stays.isBusy.load(ordering: .acquiring) { try stays.stay(&generator) }
      }
    }
    return readers + [
      job { stays in
        defer { stays.isBusy.store(false, ordering: .releasing) }
        for round in 1...stays.roundCount { try stays.reopen(round) }
        try stays.current.withLock { try $0.close() }
      }
    ]
  }

  /// How often somebody was inside.
  package var stayCount: Int { stays.load(ordering: .relaxed) }
  package var complaints: [String] { found.withLock { $0 } }

  private func job(_ body: @escaping @Sendable (ConcurrentStays) throws -> Void) -> @Sendable () -> Void {
    { [self] in
      do {
        try body(self)
      } catch {
        found.withLock { $0.append("\(error)") }
        isBusy.store(false, ordering: .releasing)
      }
    }
  }

  // MARK: Staying

  private func stay(_ generator: inout SeededGenerator) throws {
    let store = current.withLock { $0 }
    let key = "stay \(Int.random(in: 0..<Self.keyCount, using: &generator))"
    let pause = UInt32.random(in: 0..<400, using: &generator)
    do {
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: _ = try store.withValue(forKey: key) { try expectSame($0, key, pause) }
      case 1:
        try store.withValues(forKeys: [key, "stay 0", "stay 1"]) { _, value in
          if let value { try expectSame(value, nil, pause) }
        }
      default:
        try store.forEach { _, value in
          try expectSame(value, nil, pause)
          return .stop
        }
      }
    } catch let error as SedimentError where error.code == .closed {}
  }

  /// Looks at a value twice.
  private func expectSame(_ value: RawSpan, _ key: String?, _ pause: UInt32) throws {
    stays.add(1, ordering: .relaxed)
    let bytes = [UInt8](sedimentBytes: value)
    if let key { _ = try SharedRegisters.number(of: bytes, key) }
    usleep(pause)
    if [UInt8](sedimentBytes: value) != bytes {
      throw CrashContradiction(description: "\(bytes.count) bytes change while they are read")
    }
  }

  // MARK: Closing

  /// Closes the store by two calls at a time, the first of which may be either, and opens it again at once.
  private func reopen(_ round: Int) throws {
    let store = current.withLock { $0 }
    let group = DispatchGroup()
    group.enter()
    Thread { [self] in
      do {
        try store.close()
      } catch {
        found.withLock { $0.append("a close beside another: \(error)") }
      }
      group.leave()
    }.start()
    try store.close()
    let next = try SedimentStore(path: path, options: options)
    group.wait()
    try change(next, round: round)
    current.withLock { $0 = next }
  }

  /// Leaves nothing in the file where it was.
  private func change(_ store: SedimentStore, round: Int) throws {
    if round % 3 != 2 { try store.removeEverything() }
    if round % 2 == 1 { try store.compact() }
    for number in 0..<Self.keyCount {
      let key = "stay \(number)"
      try store.set(SharedRegisters.value(round * Self.keyCount + number + 1, key), forKey: key)
    }
  }
}
