import Sediment
import SedimentDisk
import SedimentTesting
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Long use of a store at its cap, in which nothing may grow.
///
/// Overwrites, removals, expiry, batches and large values, and a new opening now and then.
@Suite struct StoreSoakTests {
  /// How long it takes, in seconds; twenty minutes in a long run.
  private static let seconds = UInt64(CrashEffort.of(3, long: 1200))
  private static let byteCountMax: UInt64 = 24 << 20

  private static var now: UInt64 { SystemDisk().monotonicClock() / 1_000_000_000 }

  /// Figures that must stay as they are.
  private struct Figures {
    var heap = Measures.heapByteCount ?? 0
    var descriptors = Measures.descriptorCount
    var threads = Measures.threadCount ?? 0
  }

  @Test(.disabled(if: CrashEffort.isSanitized, "It is about memory, which sanitizers keep."))
  func `A store at its cap is used for a long time, and nothing grows`() async throws {
    let directory = try StoreDirectory(takesManySyncs: true)
    await #expect(processExitsWith: .success) { [path = directory["store"] as String] in
      let options = SedimentOptions(
        durability: .interval(.milliseconds(50)), capacity: .evicting(maxBytes: Self.byteCountMax))
      let end = Self.now + Self.seconds
      var generator = SeededGenerator(seed: 11)
      var before: Figures?
      var largestFile: UInt64 = 0
      var rounds = 0
      repeat {
        let store = try SedimentStore(path: path, options: options)
        let sessions = try store.collection("sessions")
        for _ in 0..<40 {
          try Self.use(store, sessions, &generator)
          largestFile = max(largestFile, store.statistics.fileByteCount)
          if Self.now >= end { break }
        }
        rounds += 1
        #expect(try store.count() > 1_000)
        try store.close()
        if rounds == 1 { before = Figures() }
      } while Self.now < end
      let after = Figures()
      #expect(largestFile <= Self.byteCountMax)
      if let before, rounds > 1 {
        #expect(after.heap < before.heap + (1 << 20))
        #expect(after.descriptors == before.descriptors)
        #expect(after.threads <= before.threads + 1)
        CrashEffort.note(
          "soak: \(rounds) openings, file at most \(largestFile) of \(Self.byteCountMax) bytes, heap "
            + "\(before.heap) then \(after.heap), descriptors \(after.descriptors), threads \(after.threads)")
      }
    }
  }

  /// Some thousand operations of all kinds; every value that is found is the one of its key.
  private static func use(
    _ store: SedimentStore, _ sessions: SedimentCollection, _ generator: inout SeededGenerator
  ) throws {
    for _ in 0..<3_000 {
      let number = Int.random(in: 0..<200_000, using: &generator)
      let key = "\(number)"
      switch Int.random(in: 0..<100, using: &generator) {
      case 0..<45: try store.set(value(number), forKey: key)
      case 45..<55: try store.remove(forKey: key)
      case 55..<70: try sessions.set(value(number), forKey: key, expiresIn: .milliseconds(200))
      case 70..<72:
        try store.batch { batch in
          for next in number..<number + 5 { batch.set(value(next), forKey: "\(next)") }
          batch.remove(forKey: key, in: sessions)
        }
      case 72: if number % 50 == 0 { try store.set(pattern(200_000, number), forKey: "large-\(number % 7)") }
      default:
        if let found = try store.retrieve(forKey: key), !same(found, value(number)) {
          throw Refusal()
        }
        if let found = try sessions.retrieve(forKey: key), !same(found, value(number)) { throw Refusal() }
      }
    }
  }

  private static func value(_ number: Int) -> [UInt8] { pattern(40 + number % 400, number) }
}
