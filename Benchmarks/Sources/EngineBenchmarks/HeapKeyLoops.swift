internal import MachineLimits
package import Sediment
internal import StoreComparison

// The same reads one by one and 64 keys a call, for keys of any type, each value held against the word that it begins
// with.

@inline(never)
package func countWrongInPlace<Key: SedimentBytes>(
  _ store: SedimentStore, _ keys: ArraySlice<Key>, _ words: ArraySlice<UInt64>
) throws -> Int {
  var wrongCount = 0
  for (key, word) in zip(keys, words)
  where try store.withValue(forKey: key, { firstWord($0) }) != word { wrongCount += 1 }
  return wrongCount
}

@inline(never)
package func countWrongAsArrays<Key: SedimentBytes>(
  _ store: SedimentStore, _ keys: ArraySlice<Key>, _ words: ArraySlice<UInt64>
) throws -> Int {
  var wrongCount = 0
  for (key, word) in zip(keys, words) {
    guard let value = try store.retrieve(forKey: key), firstWord(unsafe value.span.bytes) == word else {
      wrongCount += 1
      continue
    }
  }
  return wrongCount
}

@inline(never)
package func countWrongInBuffers<Key: SedimentBytes>(
  _ store: SedimentStore, _ keys: ArraySlice<Key>, _ words: ArraySlice<UInt64>
) throws -> Int {
  var wrongCount = 0
  var buffer: [UInt8] = []
  for (key, word) in zip(keys, words) {
    let isThere = try store.retrieve(forKey: key, into: &buffer)
    if !isThere || firstWord(unsafe buffer.span.bytes) != word { wrongCount += 1 }
  }
  return wrongCount
}

@inline(never)
package func countWrongInPlaceBatched<Key: SedimentBytes>(
  _ store: SedimentStore, _ keys: ArraySlice<Key>, _ words: ArraySlice<UInt64>
) throws -> Int {
  var wrongCount = 0
  for call in batches(keys) {
    try store.withValues(forKeys: keys[call]) { number, value in
      guard let value, firstWord(value) == words[call.lowerBound + number] else {
        wrongCount += 1
        return
      }
    }
  }
  return wrongCount
}

@inline(never)
package func countWrongAsArraysBatched<Key: SedimentBytes>(
  _ store: SedimentStore, _ keys: ArraySlice<Key>, _ words: ArraySlice<UInt64>
) throws -> Int {
  var wrongCount = 0
  for call in batches(keys) {
    for (value, word) in zip(try store.retrieve(forKeys: keys[call]), words[call]) {
      guard let value, firstWord(unsafe value.span.bytes) == word else {
        wrongCount += 1
        continue
      }
    }
  }
  return wrongCount
}

/// Each value is copied into a buffer of its own, which the next call uses again.
@inline(never)
package func countWrongInBuffersBatched<Key: SedimentBytes>(
  _ store: SedimentStore, _ keys: ArraySlice<Key>, _ words: ArraySlice<UInt64>
) throws -> Int {
  var wrongCount = 0
  var buffers = [[UInt8]](repeating: [], count: batchCount)
  for call in batches(keys) {
    try store.withValues(forKeys: keys[call]) { number, value in
      buffers[number].removeAll(keepingCapacity: true)
      guard let value else { return }
      unsafe value.withUnsafeBytes { unsafe buffers[number].append(contentsOf: $0) }
    }
    for (buffer, word) in zip(buffers, words[call]) where firstWord(unsafe buffer.span.bytes) != word {
      wrongCount += 1
    }
  }
  return wrongCount
}

/// The positions of the keys of each call.
private func batches<Key>(_ keys: ArraySlice<Key>) -> some Sequence<Range<Int>> {
  stride(from: keys.startIndex, to: keys.endIndex, by: batchCount).lazy.map {
    $0..<min($0 + batchCount, keys.endIndex)
  }
}
