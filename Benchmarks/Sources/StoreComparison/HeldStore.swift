internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits
internal import Synchronization

/// A store in a process of its own, which loads it, reads it, tells what memory that took, and waits to be killed.
package struct HeldStore {
  private static let command = "--hold"
  private static let secondsBetweenLooks = 0.005
  private static let secondsMax = 4.0

  private let contenderIdentifier: String
  private let folder: String
  private let keyCount: Int
  private let valueByteCount: Int

  init(_ contender: Contender, folder: String, data: DataSet) {
    contenderIdentifier = contender.identifier
    self.folder = folder
    keyCount = data.keyCount
    valueByteCount = data.valueByteCount
  }

  /// Understands what ``arguments`` says; nil if the arguments say something else.
  package init?(_ arguments: [String]) {
    let numbers = arguments.dropFirst(3).compactMap { Int($0) }
    guard arguments.first == HeldStore.command, arguments.count == 5, numbers.count == 2 else { return nil }
    contenderIdentifier = arguments[1]
    folder = arguments[2]
    keyCount = numbers[0]
    valueByteCount = numbers[1]
  }

  /// What a program is called with to do this.
  var arguments: [String] {
    [HeldStore.command, contenderIdentifier, folder, "\(keyCount)", "\(valueByteCount)"]
  }

  /// Does it with one of the contenders, says on standard output how much memory that took at its peak, and waits for the
  /// end of standard input.
  package func run(_ contenders: [Contender]) throws {
    guard let contender = contenders.first(where: { $0.identifier == contenderIdentifier }) else {
      throw Unsupported("there is no contender '\(contenderIdentifier)'")
    }
    let data = DataSet("held", keyCount: keyCount, valueByteCount: valueByteCount, hasOthers: false)
    // What was freed of it would be memory that the store takes without it being seen.
    defer { withExtendedLifetime(data) {} }
    let memory = MemoryPeak(secondsBetweenLooks: HeldStore.secondsBetweenLooks)
    let store = try contender.open(StorePlace(folder: folder, keyCount: keyCount))
    // One by one, so that no memory is that of a batch; who is slow takes batches for what is left.
    let keys = data.keys[..<keyCount]
    var loop = PacedLoop(secondsMax: HeldStore.secondsMax)
    let done = try loop.run(keyCount) { try store.setEach(keys[$0], data.value, 0) }
    try store.fill(keys[done...], data.value, 0)
    try store.settle()
    try expectNone(try store.countWrongRetrieved(data.shuffled[...], 0), "by \(contender.name)")
    let taken = memory.end()
    // Some sets of which nothing has been put in order when the process dies.
    try store.setEach(data.keys.prefix(1000), data.value, 0)
    FileHandle.standardOutput.write(Data("\(taken ?? -1)\n".utf8))
    _ = FileHandle.standardInput.readDataToEndOfFile()
    try store.close()
  }
}

/// Looks again and again how much memory the process has that belongs to no file.
private final class MemoryPeak: Sendable {
  private struct State {
    var isEnded = false
    var largest: Int?
  }

  private let state = Mutex(State())
  private let before: Int?

  init(secondsBetweenLooks: Double) {
    before = try? anonymousByteCount()
    Thread.detachNewThread { [self] in
      while !state.withLock({ $0.isEnded }) {
        look()
        Thread.sleep(forTimeInterval: secondsBetweenLooks)
      }
    }
  }

  /// How much more it was at most than in the beginning; nil where the system does not tell.
  func end() -> Int? {
    look()
    state.withLock { $0.isEnded = true }
    guard let before, let largest = state.withLock({ $0.largest }) else { return nil }
    return max(0, largest - before)
  }

  private func look() {
    guard let now = try? anonymousByteCount() else { return }
    state.withLock { $0.largest = max($0.largest ?? 0, now) }
  }
}
