internal import BenchmarkHarness
internal import CBench
internal import Foundation
internal import MachineLimits
internal import Sediment
internal import StoreComparison

/// What many calls took of the clock and of the processors, in nanoseconds.
struct Spending {
  /// By the clock.
  var elapsed: UInt64
  /// While the thread had a processor.
  var thread: UInt64
  /// While any thread of the process had one, summed up.
  var process: UInt64
  /// How many calls there were.
  var count: Int

  private static var now: Spending {
    Spending(
      elapsed: bench_nanoseconds(), thread: bench_thread_nanoseconds(), process: bench_process_nanoseconds(),
      count: 0)
  }

  /// What calls in a closure take.
  static func of(_ count: Int, _ body: () throws -> Void) rethrows -> Spending {
    let before = now
    try body()
    let after = now
    return Spending(
      elapsed: after.elapsed - before.elapsed, thread: after.thread - before.thread,
      process: after.process - before.process, count: count)
  }
}

/// A store with default options, which is loaded and then overwritten at random.
///
/// Each value is another one, and none can be compressed.
final class SpendingStore {
  static let valueByteCount = 100
  static let roundCount = 5
  /// How much a bare loop writes at a time.
  private static let pieceByteCount = 60 << 10

  private let keys: [BenchmarkKey]
  private let directory: String
  private let path: String
  /// What values are taken from, each from another place.
  private let noise: [UInt8]
  private var store: SedimentStore?

  private(set) var loaded: Spending?
  private(set) var overwritten: Spending?

  init(_ scale: EngineScale, directory: String) {
    keys = BenchmarkKeys.stored(count: scale.keyCount, seed: 81)
    noise = valueBytes(count: 1 << 20)
    self.directory = directory
    path = "\(directory)/spending"
  }

  deinit {
    try? remove()
  }

  /// Copies as many records as the store has, and writes them some at a time.
  func append() throws -> Sample {
    let recordByteCount = recordByteCountOfValue(Self.valueByteCount)
    let file = try ScratchFile("spending-bare", in: directory, warmedByteCount: keys.count * recordByteCount)
    try file.preallocate(byteCount: keys.count * recordByteCount)
    let memory = try Memory(byteCount: Self.pieceByteCount)
    let record = try Memory(byteCount: recordByteCount)
    let stopwatch = Stopwatch()
    var (filled, written) = (0, 0)
    for _ in 0..<keys.count {
      if filled + recordByteCount > memory.byteCount {
        try file.write(memory, filled, at: written)
        written += filled
        filled = 0
      }
      unsafe memcpy(memory.base + filled, record.base, recordByteCount)
      bench_consume(0)
      filled += recordByteCount
    }
    try file.write(memory, filled, at: written)
    let nanoseconds = stopwatch.nanoseconds
    return withExtendedLifetime((file, memory, record)) {
      Sample(nanoseconds: nanoseconds, amount: keys.count)
    }
  }

  /// Loads a new store.
  func load() throws {
    try remove()
    loaded = nil
    try warm()
    let store = try SedimentStore(path: path)
    self.store = store
    var random = SplitMix64(seed: 82)
    loaded = try Spending.of(keys.count) { try set(store, keys, using: &random) }
  }

  /// Overwrites it, and is done with it then.
  func overwrite() throws {
    overwritten = nil
    guard let store else { throw Unsupported("the store was not loaded") }
    try warm()
    var random = SplitMix64(seed: 83)
    let chosen = BenchmarkKey.copies(
      of: (0..<Self.roundCount * keys.count).map { _ in keys[random.below(keys.count)] })
    overwritten = try Spending.of(chosen.count) { try set(store, chosen, using: &random) }
    try expectNone(countWrongInPlaceBatched(store, keys[...]), "after it was overwritten")
    try remove()
  }

  @inline(never)
  private func set(
    _ store: SedimentStore, _ keys: [BenchmarkKey], using random: inout SplitMix64
  ) throws {
    var value = [UInt8](repeating: 0, count: Self.valueByteCount)
    try unsafe value.withUnsafeMutableBytes { bytes in
      try unsafe noise.withUnsafeBytes { noise in
        for key in keys {
          let start = random.below(noise.count - bytes.count)
          unsafe bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: noise[start..<start + bytes.count]))
          unsafe bytes.storeBytes(of: key.word, as: UInt64.self)
          // The bytes stay where they are, and nobody changes them during the call.
          try store.set(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(bytes)), forKey: key)
        }
      }
    }
  }

  private func warm() throws {
    try Room.warm(directory, storeByteCount: 2 * keys.count * recordByteCountOfValue(Self.valueByteCount))
  }

  private func remove() throws {
    guard let store else { return }
    self.store = nil
    try store.close()
    try FileManager.default.removeItem(atPath: path)
  }
}
