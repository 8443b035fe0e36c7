internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits

/// A store that a process of its own reads, which has less memory than the store has bytes.
package struct LimitedStore {
  private static let command = "--limited"

  private let contenderIdentifier: String
  private let folder: String
  private let group: String
  private let keyCount: Int
  private let valueByteCount: Int
  private let sampleCount: Int
  private let memoryByteCount: Int

  init(
    _ contender: Contender, folder: String, data: DataSet, sampleCount: Int, memoryByteCount: Int,
    group: MemoryLimit
  ) {
    contenderIdentifier = contender.identifier
    self.folder = folder
    self.group = group.path
    keyCount = data.keyCount
    valueByteCount = data.valueByteCount
    self.sampleCount = sampleCount
    self.memoryByteCount = memoryByteCount
  }

  /// Understands what ``arguments`` says; nil if the arguments say something else.
  package init?(_ arguments: [String]) {
    let numbers = arguments.dropFirst(4).compactMap { Int($0) }
    guard arguments.first == LimitedStore.command, arguments.count == 8, numbers.count == 4 else {
      return nil
    }
    (contenderIdentifier, folder, group) = (arguments[1], arguments[2], arguments[3])
    (keyCount, valueByteCount, sampleCount, memoryByteCount) = (
      numbers[0], numbers[1], numbers[2], numbers[3]
    )
  }

  /// What a program is called with to do this.
  var arguments: [String] {
    [LimitedStore.command, contenderIdentifier, folder, group]
      + [keyCount, valueByteCount, sampleCount, memoryByteCount].map(String.init)
  }

  /// Opens the store with one of the contenders, reads it, and says on standard output how many nanoseconds that took.
  package func run(_ contenders: [Contender]) throws {
    guard let contender = contenders.first(where: { $0.identifier == contenderIdentifier }) else {
      throw Unsupported("there is no contender '\(contenderIdentifier)'")
    }
    let data = DataSet("limited", keyCount: keyCount, valueByteCount: valueByteCount, hasOthers: false)
    try MemoryLimit.enter(group)
    let store = try contender.open(
      StorePlace(folder: folder, keyCount: keyCount, memoryByteCount: memoryByteCount))
    // The first ones fill the memory that there is.
    let first = data.shuffled.prefix(sampleCount)
    try expectNone(try store.countWrongRetrieved(first, 0), "by \(contender.name)")
    let keys = data.shuffled.dropFirst(sampleCount).prefix(sampleCount)
    let stopwatch = Stopwatch()
    let wrongCount = try store.countWrongRetrieved(keys, 0)
    let nanoseconds = stopwatch.nanoseconds
    try expectNone(wrongCount, "by \(contender.name)")
    FileHandle.standardOutput.write(Data("\(nanoseconds)\n".utf8))
    _ = FileHandle.standardInput.readDataToEndOfFile()
    try store.close()
  }
}
