internal import CBench
internal import Foundation
internal import MachineLimits
package import Sediment
package import StoreComparison

// The loops that are timed: nothing in them but the calls, and a comparison that shows each value to be the right one.

/// Sets each of the keys to a value that begins with its word, changed by a mask.
@inline(never)
package func setAll(
  _ store: SedimentStore, _ keys: ArraySlice<BenchmarkKey>, value: [UInt8], mask: UInt64 = 0,
  durability: SedimentDurability? = nil
) throws {
  var value = value
  try unsafe value.withUnsafeMutableBytes { bytes in
    for key in keys {
      unsafe bytes.storeBytes(of: key.word ^ mask, as: UInt64.self)
      // The bytes stay where they are, and nobody changes them during the call.
      let span = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(bytes))
      try store.set(span, forKey: key, durability: durability)
    }
  }
}

/// The same, each set timed by itself.
@inline(never)
package func longestSet(
  _ store: SedimentStore, _ keys: ArraySlice<BenchmarkKey>, value: [UInt8], mask: UInt64 = 0
) throws -> Longest {
  var value = value
  var longest = Longest()
  try unsafe value.withUnsafeMutableBytes { bytes in
    for key in keys {
      unsafe bytes.storeBytes(of: key.word ^ mask, as: UInt64.self)
      // As above.
      let span = unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(bytes))
      let (elapsed, processor) = (bench_nanoseconds(), bench_thread_nanoseconds())
      try store.set(span, forKey: key)
      longest.processor = max(longest.processor, bench_thread_nanoseconds() - processor)
      longest.elapsed = max(longest.elapsed, bench_nanoseconds() - elapsed)
    }
  }
  return longest
}

/// Sets keys, each when it is due, and counts how late each ended.
@inline(never)
func timeSets(
  _ store: SedimentStore, _ keys: ArraySlice<BenchmarkKey>, value: [UInt8], _ schedule: StepSchedule
) throws {
  var value = value
  try unsafe value.withUnsafeMutableBytes { bytes in
    for key in keys {
      schedule.awaitNext()
      unsafe bytes.storeBytes(of: key.word, as: UInt64.self)
      // As above.
      try store.set(unsafe RawSpan(_unsafeBytes: UnsafeRawBufferPointer(bytes)), forKey: key)
      schedule.stepEnded()
    }
  }
}

/// How long the longest of many calls took, in nanoseconds.
package struct Longest {
  /// By the clock.
  package var elapsed: UInt64 = 0

  /// While the thread had a processor: waiting does not count, nor what other programs do meanwhile.
  package var processor: UInt64 = 0

  /// The longer of two.
  func maximum(_ other: Longest) -> Longest {
    Longest(elapsed: max(elapsed, other.elapsed), processor: max(processor, other.processor))
  }
}

/// Reads the keys in place and counts those whose value is not theirs.
@inline(never)
package func countWrongInPlace(
  _ store: SedimentStore, _ keys: ArraySlice<BenchmarkKey>, mask: UInt64 = 0
) throws -> Int {
  var wrongCount = 0
  for key in keys {
    let word = try store.withValue(forKey: key) { firstWord($0) }
    if word != key.word ^ mask { wrongCount += 1 }
  }
  return wrongCount
}

@inline(never)
package func countWrongInBuffer(_ store: SedimentStore, _ keys: ArraySlice<BenchmarkKey>) throws -> Int {
  var wrongCount = 0
  var buffer: [UInt8] = []
  for key in keys {
    let isThere = try store.retrieve(forKey: key, into: &buffer)
    if !isThere || firstWord(unsafe buffer.span.bytes) != key.word { wrongCount += 1 }
  }
  return wrongCount
}

@inline(never)
package func countWrongAsBytes(_ store: SedimentStore, _ keys: ArraySlice<BenchmarkKey>) throws -> Int {
  var wrongCount = 0
  for key in keys {
    guard let value = try store.retrieve(forKey: key), firstWord(unsafe value.span.bytes) == key.word else {
      wrongCount += 1
      continue
    }
  }
  return wrongCount
}

@inline(never)
package func countWrongAsData(_ store: SedimentStore, _ keys: ArraySlice<BenchmarkKey>) throws -> Int {
  var wrongCount = 0
  for key in keys {
    guard let value = try store.retrieve(forKey: key, as: Data.self),
      firstWord(value.bytes) == key.word
    else {
      wrongCount += 1
      continue
    }
  }
  return wrongCount
}

/// Counts the keys that have a value, of which there should be none.
@inline(never)
package func countFound(_ store: SedimentStore, _ keys: ArraySlice<BenchmarkKey>) throws -> Int {
  var foundCount = 0
  for key in keys where try store.withValue(forKey: key, { firstWord($0) }) != nil { foundCount += 1 }
  return foundCount
}

/// How many keys a batched call gets: several of the groups that bare loops ask for at a time.
package let callKeyCount = 16 * batchCount

@inline(never)
package func countWrongInPlaceBatched(
  _ store: SedimentStore, _ keys: ArraySlice<BenchmarkKey>, mask: UInt64 = 0
) throws -> Int {
  var wrongCount = 0
  for call in calls(keys) {
    try store.withValues(forKeys: call) { number, value in
      guard let value, firstWord(value) == call[call.startIndex + number].word ^ mask else {
        wrongCount += 1
        return
      }
    }
  }
  return wrongCount
}

@inline(never)
package func countWrongAsArraysBatched(_ store: SedimentStore, _ keys: ArraySlice<BenchmarkKey>) throws -> Int
{
  var wrongCount = 0
  for call in calls(keys) {
    for (value, key) in zip(try store.retrieve(forKeys: call), call) {
      guard let value, firstWord(unsafe value.span.bytes) == key.word else {
        wrongCount += 1
        continue
      }
    }
  }
  return wrongCount
}

private func calls(
  _ keys: ArraySlice<BenchmarkKey>
) -> some Sequence<ArraySlice<BenchmarkKey>> {
  stride(from: keys.startIndex, to: keys.endIndex, by: callKeyCount).lazy.map {
    keys[$0..<min($0 + callKeyCount, keys.endIndex)]
  }
}
