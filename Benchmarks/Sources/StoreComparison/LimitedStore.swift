internal import BenchmarkHarness
internal import Foundation
internal import MachineLimits

/// A store that a process of its own reads, which has less memory than the store has bytes.
package struct LimitedStore {
  private static let command = "--limited"
  /// Stores that read each page anew would take many minutes, and some seconds for a thousand reads.
  private static let secondsMax = 4.0
  private static let pieceCount = 50

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

  /// Opens the store with one of the contenders, reads it, and says on standard output how many nanoseconds so many reads
  /// take, by those that it comes to in some seconds.
  package func run(_ contenders: [Contender]) throws {
    guard let contender = contenders.first(where: { $0.identifier == contenderIdentifier }) else {
      throw Unsupported("there is no contender '\(contenderIdentifier)'")
    }
    let data = DataSet("limited", keyCount: keyCount, valueByteCount: valueByteCount, hasOthers: false)
    try MemoryLimit.enter(group)
    let store = try contender.open(
      StorePlace(folder: folder, keyCount: keyCount, memoryByteCount: memoryByteCount))
    // The first ones fill the memory that there is.
    _ = try nanoseconds(toRead: data.shuffled.prefix(sampleCount), from: store, by: contender)
    let nanoseconds = try nanoseconds(
      toRead: data.shuffled.dropFirst(sampleCount).prefix(sampleCount), from: store, by: contender)
    FileHandle.standardOutput.write(Data("\(nanoseconds)\n".utf8))
    _ = FileHandle.standardInput.readDataToEndOfFile()
    try store.close()
  }

  /// What reading all of these keys takes, or would if it went on as it began.
  private func nanoseconds(
    toRead keys: ArraySlice<BenchmarkKey>, from store: StoreCalls, by contender: Contender
  ) throws -> Int {
    var loop = PacedLoop(secondsMax: LimitedStore.secondsMax, pieceCount: LimitedStore.pieceCount)
    let stopwatch = Stopwatch()
    let done = try loop.run(keys.count) { piece in
      let wrongCount = try store.countWrongRetrieved(keys.dropFirst(piece.lowerBound).prefix(piece.count), 0)
      try expectNone(wrongCount, "by \(contender.name)")
    }
    return Int(Double(stopwatch.nanoseconds) * Double(keys.count) / Double(max(done, 1)))
  }
}
