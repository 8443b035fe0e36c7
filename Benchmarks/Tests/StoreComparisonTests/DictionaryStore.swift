import BenchmarkHarness
import Foundation
import StoreComparison
import Synchronization

/// The least that a store has to have, in memory; it can be made to lie.
final class DictionaryStore: BenchmarkStore {
  enum Lie {
    case none, otherValue, losesSets, findsMissing
  }

  let lie: Lie
  private let values = Mutex<[BenchmarkKey: [UInt8]]>([:])

  init(_ lie: Lie = .none) {
    self.lie = lie
  }

  func set(_ key: BenchmarkKey, _ value: RawSpan) {
    values.withLock { values in
      if lie == .losesSets, values.count == 10 { return }
      values[key] = unsafe value.withUnsafeBytes { unsafe Array($0) }
    }
  }

  func retrieve(_ key: BenchmarkKey, into buffer: inout [UInt8]) -> Bool {
    guard let value = values.withLock({ $0[key] }) else { return lie == .findsMissing }
    buffer = lie == .otherValue ? value.reversed() : value
    return true
  }

  func remove(_ key: BenchmarkKey) -> Bool {
    values.withLock { $0.removeValue(forKey: key) != nil }
  }
}

extension Contender {
  static func dictionary(_ name: String, _ lie: DictionaryStore.Lie = .none) -> Contender {
    // What is opened again has what it had.
    let store = Mutex<(folder: String, store: DictionaryStore)?>(nil)
    return Contender(name, version: "1", settings: ["In memory."]) { place in
      let isNew = !FileManager.default.fileExists(atPath: "\(place.folder)/is-there")
      return try store.withLock { known in
        if !isNew, let known, known.folder == place.folder { return known.store }
        try Data("yes".utf8).write(to: URL(fileURLWithPath: "\(place.folder)/is-there"))
        let store = DictionaryStore(lie)
        known = (place.folder, store)
        return store
      }
    }
  }
}

/// A new folder that is gone when the test ends.
final class Folder {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  var contents: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: path) }
  }
}
