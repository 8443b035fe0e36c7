internal import Foundation
internal import MachineLimits
internal import Sediment

/// What a process of its own does that is to be killed: it loads a store, says so, and waits.
package struct Filling {
  /// The argument that tells a program to do this.
  package static let command = "--fill"

  /// How many sets at the end are not synced.
  static let unsyncedCountMax = 1000

  private static let seed: UInt64 = 41

  private let path: String
  private let keyCount: Int
  private let valueByteCount: Int

  init(path: String, keyCount: Int, valueByteCount: Int) {
    self.path = path
    self.keyCount = keyCount
    self.valueByteCount = valueByteCount
  }

  /// Understands what ``arguments`` says; nil if the arguments say something else.
  package init?(_ arguments: [String]) {
    guard arguments.count == 4, arguments[0] == Filling.command, let keyCount = Int(arguments[2]),
      let valueByteCount = Int(arguments[3])
    else { return nil }
    self.init(path: arguments[1], keyCount: keyCount, valueByteCount: valueByteCount)
  }

  /// What a program is called with to do this.
  var arguments: [String] { [Filling.command, path, "\(keyCount)", "\(valueByteCount)"] }

  /// The keys that are there afterwards.
  var keys: [BenchmarkKey] { BenchmarkKeys.stored(count: keyCount, seed: Filling.seed) }

  /// Loads the store, says on standard output how much memory that took, and waits for the end of standard input.
  package func run() throws {
    let keys = keys
    let value = valueBytes(count: valueByteCount)
    let syncedCount = max((keyCount + 1) / 2, keyCount - Filling.unsyncedCountMax)
    let store = try SedimentStore(path: path, options: SedimentOptions(durability: .unsynced))
    // What any store takes, and its threads, is not what a key takes.
    try setAll(store, keys[..<1], value: value)
    try store.sync()
    let byteCountBefore = try? anonymousByteCount()
    try setAll(store, keys[1..<syncedCount], value: value)
    try store.sync()
    try setAll(store, keys[syncedCount...], value: value)
    // The keys were there before, so they have to be there still.
    let byteCount = withExtendedLifetime(keys) { try? anonymousByteCount() }
    let taken = byteCount.flatMap { after in byteCountBefore.map { after - $0 } }
    FileHandle.standardOutput.write(Data("\(taken ?? -1)\n".utf8))
    _ = FileHandle.standardInput.readDataToEndOfFile()
  }
}
