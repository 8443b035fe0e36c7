import Dispatch
import Foundation
import Sediment
import SedimentDisk
import Shallows

/// A call that has to stay quick.
enum HotPath: String, CaseIterable {
  case retrieveInPlace = "retrieve-in-place"
  case retrieveIntoBuffer = "retrieve-into-buffer"
  case retrieveBytes = "retrieve-bytes"
  case retrieveMany = "retrieve-many"
  case retrieveMissing = "retrieve-missing"
  case retrieveByCall = "retrieve-by-call"
  case set = "set"
  case setByCall = "set-by-call"
  case setSynced = "set-synced"
  case batch = "batch"
  case batchByCall = "batch-by-call"
  case remove = "remove"
  case lruHit = "lru-hit"
  case combinedHit = "combined-hit"
  case storageRetrieve = "storage-retrieve"
  case storageSet = "storage-set"
  /// What a `Data` takes that is made and then read, whoever makes it: the least of what a storage takes for both.
  case bareData = "bare-data"
  case cGetInPlace = "c-get-in-place"
  case cGet = "c-get"
  case cPin = "c-pin"
  case cSet = "c-set"
  case cBatch = "c-batch"
  case storageBurst = "storage-burst"

  static let keys = (0..<1000).map { Array("the key number \(100_000 + $0)".utf8) }
  static let value = [UInt8](repeating: 7, count: 100)

  /// Prepares a store, and then calls it so many times.
  func run(count: Int, folder: String) throws {
    let store = try store(in: folder)
    let keys = HotPath.keys
    var found = 0
    switch self {
    case .retrieveInPlace:
      for number in 0..<count where try store.withValue(forKey: keys[number % 1000], { $0.byteCount }) == 100
      {
        found += 1
      }
    case .retrieveIntoBuffer, .retrieveByCall:
      var buffer: [UInt8] = []
      for number in 0..<count where try store.retrieve(forKey: keys[number % 1000], into: &buffer) {
        found += 1
      }
    case .retrieveBytes:
      for number in 0..<count where try store.retrieve(forKey: keys[number % 1000])?.count == 100 {
        found += 1
      }
    case .retrieveMany:
      for _ in 0..<count / 1000 {
        try store.withValues(forKeys: keys) { if $1 != nil { found += 1 } }
      }
    case .retrieveMissing:
      let missing = keys.map { Array($0.reversed()) }
      for number in 0..<count
      where try store.withValue(forKey: missing[number % 1000], { $0.byteCount }) == nil {
        found += 1
      }
    case .set, .setByCall: try set(store, count)
    case .setSynced: try set(store, count, durability: .synced)
    case .batch, .batchByCall: try setInBatches(store, count)
    case .remove:
      for number in 0..<count {
        try store.set(HotPath.value, forKey: keys[number % 1000])
        try store.remove(forKey: keys[number % 1000])
      }
    case .lruHit: try hitMemory(count)
    case .combinedHit: found = try hitFront(store, count)
    case .storageRetrieve, .storageSet: try callStorage(store, count)
    case .bareData:
      for _ in 0..<count where unsafe Data(HotPath.value).withUnsafeBytes({ $0.count }) == 100 {
        found += 1
      }
    case .cGetInPlace, .cGet, .cPin, .cSet, .cBatch: try callC(store, count)
    case .storageBurst: found = drainBurst(count)
    }
    guard found == 0 || found == count else { fatalError("\(rawValue): \(found) of \(count)") }
    // Nothing that depends on how far the log came is to be counted with the calls.
    withExtendedLifetime(store) { exit(0) }
  }

  /// A store whose background work is left undone while calls are counted, so that nothing else is.
  private func store(in folder: String) throws -> SedimentStore {
    let isByCall = self == .retrieveByCall || self == .setByCall || self == .batchByCall
    let options = SedimentOptions(
      durability: .unsynced, access: isByCall ? .unmapped : .automatic, compression: .off)
    let background = ManualBackground()
    let store = try SedimentStore(
      path: "\(folder)/\(rawValue)-\(UUID().uuidString)", options: options, disk: RepeatableDisk(),
      background: background)
    if isWriting { try lengthen(store, background) }
    for key in HotPath.keys { try store.set(HotPath.value, forKey: key) }
    return store
  }

  private var isWriting: Bool {
    switch self {
    case .set, .setByCall, .setSynced, .batch, .batchByCall, .remove, .storageSet, .cSet, .cBatch: true
    default: false
    }
  }

  /// Makes a file as long as one in use: it has a window, segments of several slots, and free ones for all that is
  /// counted.
  private func lengthen(_ store: SedimentStore, _ background: ManualBackground) throws {
    let value = [UInt8](repeating: 7, count: 64_000)
    for number in 0..<500 {
      try store.set(value, forKey: [UInt8(number % 250)])
    }
    background.run()
    try store.compact()
  }

  private func set(_ store: SedimentStore, _ count: Int, durability: SedimentDurability? = nil) throws {
    for number in 0..<count {
      try store.set(HotPath.value, forKey: HotPath.keys[number % 1000], durability: durability)
    }
  }

  private func setInBatches(_ store: SedimentStore, _ count: Int) throws {
    for _ in 0..<count / 1000 {
      try store.batch { batch in
        for key in HotPath.keys { batch.set(HotPath.value, forKey: key) }
      }
    }
  }

  private func hitMemory(_ count: Int) throws {
    let storage = LRUStorage<Int, Int>(capacity: .count(1000)).makeSyncStorage()
    for number in 0..<1000 { try storage.set(number, forKey: number) }
    for number in 0..<count where try storage.retrieve(forKey: number % 1000) != number % 1000 {
      fatalError("\(rawValue): another value")
    }
  }

  private func hitFront(_ store: SedimentStore, _ count: Int) throws -> Int {
    let storage = LRUStorage<String, Data>(capacity: .count(1000))
      .combined(with: SedimentStorage(store).usingStringKeys())
    let keys = HotPath.keys.map { String(decoding: $0, as: UTF8.self) }
    for key in keys { _ = try storage.makeSyncStorage().retrieve(forKey: key) }
    var found = 0
    for number in 0..<count {
      storage.retrieve(forKey: keys[number % 1000]) { if case .success = $0 { found += 1 } }
    }
    return found
  }

  /// Bursts of a thousand calls that come while the first one has not ended: each takes as much, however many wait.
  private func drainBurst(_ count: Int) -> Int {
    let storage = MemoryStorage(storage: [0: 0]).synchronizedCalls()
    let (gate, end) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    var found = 0
    for _ in 0..<count / 1000 {
      storage.retrieve(forKey: 0) { _ in gate.wait() }
      for _ in 0..<1000 { storage.retrieve(forKey: 0) { if case .success = $0 { found += 1 } } }
      storage.retrieve(forKey: 0) { _ in end.signal() }
      gate.signal()
      end.wait()
    }
    return found
  }

  private func callStorage(_ store: SedimentStore, _ count: Int) throws {
    let storage = SedimentStorage(store).usingStringKeys().makeSyncStorage()
    let keys = HotPath.keys.map { String(decoding: $0, as: UTF8.self) }
    let value = Data(HotPath.value)
    for number in 0..<count {
      if self == .storageSet {
        try storage.set(value, forKey: keys[number % 1000])
      } else if try storage.retrieve(forKey: keys[number % 1000]).count != 100 {
        fatalError("\(rawValue): another value")
      }
    }
  }
}
