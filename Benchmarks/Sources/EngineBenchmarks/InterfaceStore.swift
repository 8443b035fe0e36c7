internal import BenchmarkHarness
internal import CInterfaceLoops
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import SedimentC
internal import StoreComparison

/// The same calls from C and from Swift, on stores of the same keys.
final class InterfaceStore {
  static let valueByteCount = 100

  private let path: String
  private let directory: String
  private let keyCount: Int
  /// The keys, one behind the other, in the order of sets and in that of reads.
  private let setKeys: [UInt8]
  private let readKeys: [UInt8]
  private var value: [UInt8]
  private var store: SedimentStore?
  private var handle: OpaquePointer?

  init(_ scale: EngineScale, directory: String) {
    let keys = BenchmarkKeys(count: scale.keyCount, seed: 91)
    keyCount = scale.keyCount
    setKeys = keys.stored.flatMap(\.bytes)
    readKeys = keys.shuffled.flatMap(\.bytes)
    value = valueBytes(count: Self.valueByteCount)
    self.directory = directory
    path = "\(directory)/interface"
  }

  deinit {
    try? close()
  }

  // MARK: From C

  func setFromC() throws -> Sample {
    try begin()
    let options = sediment_options(
      size: MemoryLayout<sediment_options>.size, version: UInt32(SEDIMENT_VERSION_NUMBER), flags: 0,
      durability: Int32(SEDIMENT_UNSYNCED.rawValue), capacity: 0, compaction: 0,
      compression: Int32(SEDIMENT_COMPRESSION_OFF.rawValue), compression_level: 0, reserved: 0, interval: 0,
      capacity_bytes: 0, observer: nil, observer_context: nil)
    let status = unsafe withUnsafePointer(to: options) { unsafe sediment_open(path, $0, &handle) }
    guard status == SEDIMENT_OK else { throw WrongValue("it cannot be opened from C") }
    return try sample { keys, value in
      unsafe interface_set(sediment_default_collection(handle), keys, keyCount, value, Self.valueByteCount)
    }
  }

  func getFromC() throws -> Sample {
    try sample(reading: true) { keys, value in
      unsafe interface_get(sediment_default_collection(handle), keys, keyCount, value, Self.valueByteCount)
    }
  }

  func readFromC() throws -> Sample {
    try sample(reading: true) { keys, _ in
      unsafe interface_read(sediment_default_collection(handle), keys, keyCount, Self.valueByteCount)
    }
  }

  // MARK: From Swift

  func setFromSwift() throws -> Sample {
    try begin()
    let store = try SedimentStore(path: path, options: .plain(durability: .unsynced))
    self.store = store
    return try sample { keys, value in
      for number in 0..<keyCount {
        unsafe value.copyMemory(from: keys + number * 16, byteCount: 8)
        let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(value), byteCount: Self.valueByteCount)
        try store.set(bytes, forKey: unsafe RawSpan(_unsafeStart: keys + number * 16, byteCount: 16))
      }
      return 0
    }
  }

  func getFromSwift() throws -> Sample {
    guard let store else { throw Unsupported("the store was not loaded") }
    return try sample(reading: true) { keys, buffer in
      var wrongCount = 0
      for number in 0..<keyCount {
        let key = unsafe RawSpan(_unsafeStart: keys + number * 16, byteCount: 16)
        let target = unsafe UnsafeMutableRawBufferPointer(start: buffer, count: Self.valueByteCount)
        let found = unsafe try store.retrieve(forKey: key, into: target)
        let isRight = unsafe found == Self.valueByteCount && memcmp(buffer, keys + number * 16, 8) == 0
        wrongCount += isRight ? 0 : 1
      }
      return wrongCount
    }
  }

  func readFromSwift() throws -> Sample {
    guard let store else { throw Unsupported("the store was not loaded") }
    return try sample(reading: true) { keys, _ in
      var wrongCount = 0
      for number in 0..<keyCount {
        let key = unsafe RawSpan(_unsafeStart: keys + number * 16, byteCount: 16)
        let word = try store.withValue(forKey: key) { firstWord($0) }
        wrongCount += word == unsafe keys.loadUnaligned(fromByteOffset: number * 16, as: UInt64.self) ? 0 : 1
      }
      return wrongCount
    }
  }

  // MARK: Life

  private func begin() throws {
    try close()
    try Room.warm(directory, storeByteCount: 2 * keyCount * recordByteCountOfValue(Self.valueByteCount))
  }

  private func close() throws {
    if let store { try store.close() }
    if let handle = unsafe handle, unsafe sediment_close(handle) != SEDIMENT_OK {
      throw WrongValue("it cannot be closed from C")
    }
    store = nil
    unsafe handle = nil
    try? FileManager.default.removeItem(atPath: path)
  }

  private func sample(
    reading: Bool = false, _ body: (UnsafeRawPointer, UnsafeMutableRawPointer) throws -> Int
  ) throws -> Sample {
    let keys = reading ? readKeys : setKeys
    return try unsafe keys.withUnsafeBytes { keys in
      try unsafe value.withUnsafeMutableBytes { value in
        guard let keys = keys.baseAddress, let value = value.baseAddress else { return Sample(nanoseconds: 0, amount: 1) }
        let stopwatch = Stopwatch()
        let wrongCount = unsafe try body(keys, value)
        let nanoseconds = stopwatch.nanoseconds
        try expectNone(wrongCount, "from C or Swift")
        return Sample(nanoseconds: nanoseconds, amount: keyCount)
      }
    }
  }
}
