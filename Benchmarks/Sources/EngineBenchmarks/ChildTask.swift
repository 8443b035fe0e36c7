internal import Foundation
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// What a process of its own does: one that is to be killed, or one whose memory nothing else has used.
package enum ChildTask: Equatable {
  /// Loads a store with so many keys; the last sets are not synced.
  case load(path: String, keyCount: Int, valueByteCount: Int)

  /// Opens so many stores of ten values below a folder.
  case openSmall(directory: String, storeCount: Int)

  private static let loadCommand = "--load"
  private static let openSmallCommand = "--open-small"
  private static let unsyncedCountMax = 1000
  private static let seed: UInt64 = 41

  /// Understands what ``arguments`` says; nil if the arguments say something else.
  package init?(_ arguments: [String]) {
    let numbers = arguments.dropFirst(2).compactMap { Int($0) }
    switch (arguments.first, arguments.count, numbers.count) {
    case (ChildTask.loadCommand, 4, 2):
      self = .load(path: arguments[1], keyCount: numbers[0], valueByteCount: numbers[1])
    case (ChildTask.openSmallCommand, 3, 1):
      self = .openSmall(directory: arguments[1], storeCount: numbers[0])
    default: return nil
    }
  }

  /// What a program is called with to do this.
  package var arguments: [String] {
    switch self {
    case .load(let path, let keyCount, let valueByteCount):
      [ChildTask.loadCommand, path, "\(keyCount)", "\(valueByteCount)"]
    case .openSmall(let directory, let storeCount):
      [ChildTask.openSmallCommand, directory, "\(storeCount)"]
    }
  }

  /// The keys that a store was loaded with.
  static func loadedKeys(_ count: Int) -> [BenchmarkKey] {
    BenchmarkKeys.stored(count: count, seed: seed)
  }

  /// Does it, says on standard output what that took of memory, and waits for the end of standard input.
  package func run() throws {
    switch self {
    case .load(let path, let keyCount, let valueByteCount):
      try load(path, ChildTask.loadedKeys(keyCount), valueByteCount: valueByteCount)
    case .openSmall(let directory, let storeCount):
      try openSmall((0...storeCount).map { "\(directory)/many-\($0)" })
    }
  }

  private func load(_ path: String, _ keys: [BenchmarkKey], valueByteCount: Int) throws {
    let value = valueBytes(count: valueByteCount)
    let syncedCount = max((keys.count + 1) / 2, keys.count - ChildTask.unsyncedCountMax)
    let store = try SedimentStore(path: path, options: .plain(durability: .unsynced))
    // What any store takes, and its threads, is not what a key takes.
    try setAll(store, keys[..<1], value: value)
    try store.sync()
    let byteCountBefore = try? anonymousByteCount()
    try setAll(store, keys[1..<syncedCount], value: value)
    try store.sync()
    try setAll(store, keys[syncedCount...], value: value)
    // The keys were there before, so they have to be there still.
    withExtendedLifetime(keys) { answer(byteCountBefore) }
    try store.close()
  }

  private func openSmall(_ paths: [String]) throws {
    // The first takes what all share.
    let first = try SmallStores.make(paths[0])
    let byteCountBefore = try? anonymousByteCount()
    let others = try paths.dropFirst().map(SmallStores.make)
    answer(byteCountBefore)
    for store in [first] + others {
      try store.close()
      try FileManager.default.removeItem(atPath: store.path)
    }
  }

  private func answer(_ byteCountBefore: Int?) {
    let byteCount = try? anonymousByteCount()
    let taken = byteCount.flatMap { after in byteCountBefore.map { max(0, after - $0) } }
    FileHandle.standardOutput.write(Data("\(taken ?? -1)\n".utf8))
    _ = FileHandle.standardInput.readDataToEndOfFile()
  }
}
