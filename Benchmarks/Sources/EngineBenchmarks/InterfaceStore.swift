internal import BenchmarkHarness
internal import CInterfaceLoops
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import SedimentC
internal import StoreComparison

/// The same calls from C and from Swift, on stores of the same keys.
@safe
final class InterfaceStore {
  static let valueByteCount = 100

  private let path: String
  private let directory: String
  private let keyCount: Int
  /// The keys, one behind the other, in the order of sets and in that of reads.
  private let setKeys: [UInt8]
  private let readKeys: [UInt8]
  private var store: SedimentStore?
  /// Of the store that is open from C.
  private var handle: OpaquePointer?

  init(_ scale: EngineScale, directory: String) {
    let keys = BenchmarkKeys(count: scale.keyCount, seed: 91)
    keyCount = scale.keyCount
    setKeys = keys.stored.flatMap(\.bytes)
    readKeys = keys.shuffled.flatMap(\.bytes)
    self.directory = directory
    path = "\(directory)/interface"
  }

  deinit {
    try? close()
  }

  // MARK: From C

  func setFromC() throws -> Sample {
    try begin()
    var options = unsafe sediment_options()
    unsafe options.size = MemoryLayout<sediment_options>.size
    unsafe options.version = UInt32(SEDIMENT_VERSION_NUMBER)
    unsafe options.durability = Int32(SEDIMENT_UNSYNCED.rawValue)
    unsafe options.compression = Int32(SEDIMENT_COMPRESSION_OFF.rawValue)
    guard unsafe sediment_open(path, &options, &handle) == SEDIMENT_OK else {
      throw WrongValue("it cannot be opened from C")
    }
    return try unsafe sample(setKeys) { keys, value in
      unsafe interface_set(sediment_default_collection(handle), keys, keyCount, value, Self.valueByteCount)
    }
  }

  func getFromC() throws -> Sample {
    try unsafe sample(readKeys) { keys, buffer in
      unsafe interface_get(sediment_default_collection(handle), keys, keyCount, buffer, Self.valueByteCount)
    }
  }

  func readFromC() throws -> Sample {
    try unsafe sample(readKeys) { keys, _ in
      unsafe interface_read(sediment_default_collection(handle), keys, keyCount, Self.valueByteCount)
    }
  }

  // MARK: From Swift

  func setFromSwift() throws -> Sample {
    try begin()
    let store = try SedimentStore(path: path, options: .plain(durability: .unsynced))
    self.store = store
    return try unsafe sample(setKeys) { keys, value in
      for number in 0..<keyCount {
        unsafe value.copyMemory(from: keys + number * 16, byteCount: 8)
        let bytes = unsafe RawSpan(_unsafeStart: UnsafeRawPointer(value), byteCount: Self.valueByteCount)
        try store.set(bytes, forKey: unsafe RawSpan(_unsafeStart: keys + number * 16, byteCount: 16))
      }
      return 0
    }
  }

  func getFromSwift() throws -> Sample {
    let store = try loaded
    var buffer: [UInt8] = []
    return try unsafe sample(readKeys) { keys, _ in
      var wrongCount = 0
      for number in 0..<keyCount {
        let key = unsafe RawSpan(_unsafeStart: keys + number * 16, byteCount: 16)
        let isThere = try store.retrieve(forKey: key, into: &buffer)
        if !isThere || firstWord(unsafe buffer.span.bytes) != firstWord(key) { wrongCount += 1 }
      }
      return wrongCount
    }
  }

  func readFromSwift() throws -> Sample {
    let store = try loaded
    return try unsafe sample(readKeys) { keys, _ in
      var wrongCount = 0
      for number in 0..<keyCount {
        let key = unsafe RawSpan(_unsafeStart: keys + number * 16, byteCount: 16)
        if try store.withValue(forKey: key, firstWord) != firstWord(key) { wrongCount += 1 }
      }
      return wrongCount
    }
  }

  private var loaded: SedimentStore {
    get throws {
      guard let store else { throw Unsupported("the store was not loaded") }
      return store
    }
  }

  // MARK: Life

  private func begin() throws {
    try close()
    try Room.warm(directory, storeByteCount: 2 * keyCount * recordByteCountOfValue(Self.valueByteCount))
  }

  private func close() throws {
    if let store { try store.close() }
    if unsafe handle != nil, unsafe sediment_close(handle) != SEDIMENT_OK {
      throw WrongValue("it cannot be closed from C")
    }
    store = nil
    unsafe handle = nil
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Times what uses all keys, and memory for a value; it returns how many values were wrong.
  private func sample(
    _ keys: [UInt8], _ body: (UnsafeRawPointer, UnsafeMutableRawPointer) throws -> Int
  ) throws -> Sample {
    let memory = try Memory(byteCount: Self.valueByteCount)
    return try unsafe keys.withUnsafeBytes { keys in
      guard let start = keys.baseAddress else { throw Unsupported("there are no keys") }
      let stopwatch = Stopwatch()
      let wrongCount = unsafe try body(start, memory.base)
      let nanoseconds = stopwatch.nanoseconds
      try expectNone(wrongCount, "from C or Swift")
      return withExtendedLifetime(memory) { Sample(nanoseconds: nanoseconds, amount: keyCount) }
    }
  }
}
