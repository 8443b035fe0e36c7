/// The hash of a key in a collection: SipHash with one round a word and three at the end.
///
/// Each building of the index draws a random seed; who does not know it cannot choose keys that collide. Stored indexes
/// hold bits of the hash, so it is part of the format. The collection's number is mixed into the seed.
@usableFromInline package struct KeyHash: Hashable, Sendable {
  /// The first half of the seed.
  @usableFromInline package let low: UInt64
  /// The second half of the seed.
  @usableFromInline package let high: UInt64

  @inlinable package init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// The hash of a key.
  @inlinable package func hash(_ key: RawSpan, collection: UInt32 = 0) -> UInt64 {
    sipHash(key, low: low, high: high ^ UInt64(collection), wordRounds: 1, endRounds: 3)
  }
}

/// SipHash in any of its strengths; a separate function so that tests can hold it against published results.
///
/// Inlined wherever it is called, so that the numbers of rounds are constants.
@inlinable @inline(__always) package func sipHash(
  _ bytes: RawSpan, low: UInt64, high: UInt64, wordRounds: Int, endRounds: Int
) -> UInt64 {
  var state = SipState(low: low, high: high)
  let byteCount = bytes.byteCount
  let wholeByteCount = byteCount & ~7
  var offset = 0
  while offset < wholeByteCount {
    state.absorb(bytes.integer(UInt64.self, at: offset), rounds: wordRounds)
    offset &+= 8
  }
  state.absorb(lastWord(bytes, from: offset), rounds: wordRounds)
  return state.finish(rounds: endRounds)
}

/// The up to seven bytes from `offset` on, with the length above them.
@inlinable @inline(__always) func lastWord(_ bytes: RawSpan, from offset: Int) -> UInt64 {
  let byteCount = bytes.byteCount
  let length = UInt64(truncatingIfNeeded: byteCount) &<< 56
  let restByteCount = byteCount &- offset
  if restByteCount == 0 { return length }
  let unused = UInt64(truncatingIfNeeded: 8 &- restByteCount) &* 8
  if offset > 0 {
    // The last eight bytes, of which the lower ones were taken before.
    return bytes.integer(UInt64.self, at: byteCount &- 8) &>> unused | length
  }
  if restByteCount >= 4 {
    let upper = UInt64(bytes.integer(UInt32.self, at: byteCount &- 4))
    let upperShift = UInt64(truncatingIfNeeded: restByteCount &- 4) &* 8
    return UInt64(bytes.integer(UInt32.self, at: 0)) | upper &<< upperShift | length
  }
  let middle = restByteCount &>> 1
  return UInt64(bytes.integer(UInt8.self, at: 0))
    | UInt64(bytes.integer(UInt8.self, at: middle)) &<< (UInt64(truncatingIfNeeded: middle) &* 8)
    | UInt64(bytes.integer(UInt8.self, at: restByteCount &- 1))
    &<< (UInt64(truncatingIfNeeded: restByteCount &- 1) &* 8) | length
}

@usableFromInline package struct SipState {
  @usableFromInline var a: UInt64
  @usableFromInline var b: UInt64
  @usableFromInline var c: UInt64
  @usableFromInline var d: UInt64

  @inlinable @inline(__always) init(low: UInt64, high: UInt64) {
    a = low ^ 0x736f_6d65_7073_6575
    b = high ^ 0x646f_7261_6e64_6f6d
    c = low ^ 0x6c79_6765_6e65_7261
    d = high ^ 0x7465_6462_7974_6573
  }

  @inlinable @inline(__always) mutating func absorb(_ word: UInt64, rounds: Int) {
    d ^= word
    for _ in 0..<rounds { round() }
    a ^= word
  }

  @inlinable @inline(__always) mutating func finish(rounds: Int) -> UInt64 {
    c ^= 0xff
    for _ in 0..<rounds { round() }
    return a ^ b ^ c ^ d
  }

  @inlinable @inline(__always) mutating func round() {
    a &+= b
    c &+= d
    b = b.rotatedLeft(13) ^ a
    d = d.rotatedLeft(16) ^ c
    a = a.rotatedLeft(32)
    c &+= b
    a &+= d
    b = b.rotatedLeft(17) ^ c
    d = d.rotatedLeft(21) ^ a
    c = c.rotatedLeft(32)
  }
}

extension UInt64 {
  @inlinable @inline(__always) func rotatedLeft(_ count: UInt64) -> UInt64 {
    self &<< count | self &>> (64 &- count)
  }
}
