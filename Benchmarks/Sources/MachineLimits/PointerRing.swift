package import BenchmarkHarness
internal import CBench

/// A ring through all the cache lines of a table, in random order: each line begins with the address of the next.
///
/// Whoever follows it can know no address before the read in front of it is complete.
package final class PointerRing {
  package static let lineByteCount = 64

  private let memory: Memory
  private var positions: [UInt]

  /// Links a table of this size, a power of two, with a few starting points that lie equally far from each other.
  package init(byteCount: Int, startCount: Int = 1, random: inout SplitMix64) throws {
    memory = try Memory(byteCount: byteCount)
    let lineCount = byteCount / PointerRing.lineByteCount
    let order = (0..<UInt32(lineCount)).shuffled(using: &random)
    let base = unsafe memory.base
    func line(_ index: UInt32) -> UnsafeMutableRawPointer {
      unsafe base + Int(index) * PointerRing.lineByteCount
    }
    for (place, index) in order.enumerated() {
      let next = order[(place + 1) % lineCount]
      unsafe line(index).storeBytes(of: UInt(bitPattern: line(next)), as: UInt.self)
    }
    positions = (0..<startCount).map { unsafe UInt(bitPattern: line(order[$0 * lineCount / startCount])) }
  }

  /// How many lines there are.
  package var lineCount: Int { memory.byteCount / PointerRing.lineByteCount }

  /// Where the walk from a starting point has come to, as the number of a line.
  package func line(atStart start: Int = 0) -> Int {
    let base = unsafe UInt(bitPattern: memory.base)
    return Int(positions[start] - base) / PointerRing.lineByteCount
  }

  /// Goes on from where the last walk ended, so that it meets lines that were not read for a long time.
  package func walk(stepCount: Int) -> Sample {
    let stopwatch = Stopwatch()
    positions[0] = follow(positions[0], stepCount: stepCount)
    return Sample(nanoseconds: stopwatch.nanoseconds, amount: stepCount)
  }

  /// Two threads walk, each from a starting point of its own; the sample is about the steps of both.
  func walkInTwoThreads(stepCountEach: Int) throws -> Sample {
    let starts = [positions[1], positions[2]]
    let stopwatch = Stopwatch()
    let ends = try inParallel(threadCount: starts.count) { number in
      follow(starts[number], stepCount: stepCountEach)
    }
    let nanoseconds = stopwatch.nanoseconds
    positions.replaceSubrange(1...2, with: ends)
    return Sample(nanoseconds: nanoseconds, amount: starts.count * stepCountEach)
  }

  /// Reads lines at random, 64 at a time: asks for all of them, then reads them.
  ///
  /// No address depends on what was read, so that the reads overlap.
  func readBatches(count: Int, random: inout SplitMix64) -> Sample {
    let base = unsafe UInt(bitPattern: memory.base)
    let mask = UInt(memory.byteCount - PointerRing.lineByteCount)
    let addresses = UnsafeMutablePointer<UInt>.allocate(capacity: batchCount)
    defer { unsafe addresses.deallocate() }
    var generator = random
    var sum: UInt = 0
    let stopwatch = Stopwatch()
    for _ in 0..<count {
      for slot in 0..<batchCount {
        let address = base + UInt(truncatingIfNeeded: generator.next()) & mask
        unsafe addresses[slot] = address
        prefetch(address)
      }
      for slot in 0..<batchCount {
        sum &+= word(at: unsafe addresses[slot])
      }
    }
    bench_consume(UInt64(sum))
    random = generator
    return Sample(nanoseconds: stopwatch.nanoseconds, amount: count * batchCount)
  }
}

/// How many reads a batch asks for before it waits for the first.
package let batchCount = 64

/// Follows addresses from line to line and returns where it came to.
@inline(never)
func follow(_ start: UInt, stepCount: Int) -> UInt {
  var address = start
  for _ in 0..<stepCount { address = word(at: address) }
  bench_consume(UInt64(address))
  return address
}

/// The word at an address that was taken from memory which its owner still holds.
@inline(__always)
func word(at address: UInt) -> UInt {
  unsafe UnsafePointer<UInt>(bitPattern: address).unsafelyUnwrapped.pointee
}

/// Asks for the line at an address; a prefetch never faults, so that any address will do.
@inline(__always)
func prefetch(_ address: UInt) {
  unsafe bench_prefetch(UnsafeRawPointer(bitPattern: address))
}
