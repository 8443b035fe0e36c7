/// The hash of a key in a collection: products of 128 bits, folded.
///
/// It is keyed with a random seed that each building of the index draws: who does not know the seed cannot choose keys
/// that collide, and an index whose keys collide all the same draws another one. Stored indexes hold bits of it, so it
/// is part of the format.
///
/// Some bits depend on the collection alone (see `CollectionTag`), so an entry of the index tells which collections its
/// key cannot belong to.
@usableFromInline package struct KeyHash: Hashable, Sendable {
  /// The first half of the seed.
  @usableFromInline package let low: UInt64
  /// The second half of the seed.
  @usableFromInline package let high: UInt64

  /// What a stored index says that its entries were hashed by; that of another version is built anew.
  package static let version: UInt32 = 2

  #if SEDIMENT_SCHEDULES
    /// The first bits of a hash, which choose a base partition of the index, and which entries do not hold.
    @inlinable package static var baseBitCount: UInt64 { 1 }
  #else
    /// The first bits of a hash, which choose a base partition of the index, and which entries do not hold.
    @inlinable package static var baseBitCount: UInt64 { 8 }
  #endif
  /// The following bits of a hash, which an entry of the index holds.
  @inlinable package static var entryBitCount: UInt64 { 25 }

  @inlinable package init(low: UInt64, high: UInt64) {
    self.low = low
    self.high = high
  }

  /// The hash of a key.
  @inlinable @inline(__always) package func hash(_ key: RawSpan, collection: UInt32 = 0) -> UInt64 {
    let byteCount = key.byteCount
    let end = UInt64(truncatingIfNeeded: byteCount) | UInt64(collection) &<< 32
    // The last 16 bytes as two words, which overlap in shorter keys.
    var state = high ^ Self.firstConstant
    var first: UInt64 = 0
    var second: UInt64 = 0
    if byteCount >= 16 {
      if byteCount > 16 {
        state = fold(key, at: 0, into: state)
        if byteCount > 32 { state = foldOtherBlocks(of: key, into: state) }
      }
      first = key.word(UInt64.self, at: byteCount &- 16)
      second = key.word(UInt64.self, at: byteCount &- 8)
    } else if byteCount >= 8 {
      first = key.word(UInt64.self, at: 0)
      second = key.word(UInt64.self, at: byteCount &- 8)
    } else if byteCount >= 4 {
      first = UInt64(key.word(UInt32.self, at: 0))
      second = UInt64(key.word(UInt32.self, at: byteCount &- 4))
    } else if byteCount > 0 {
      first = UInt64(key.word(UInt8.self, at: 0)) | UInt64(key.word(UInt8.self, at: byteCount &>> 1)) &<< 8
      second = UInt64(key.word(UInt8.self, at: byteCount &- 1))
    }
    let hash = foldedProduct(foldedProduct(first ^ low, second ^ state), end ^ high ^ Self.secondConstant)
    return CollectionTag.tagged(hash, collection)
  }

  /// Takes in a block of 16 bytes.
  @inlinable @inline(__always) func fold(_ key: RawSpan, at offset: Int, into state: UInt64) -> UInt64 {
    foldedProduct(
      key.word(UInt64.self, at: offset) ^ low, key.word(UInt64.self, at: offset &+ 8) ^ state)
  }

  /// Takes in all blocks of 16 bytes behind the first one and before the last 16 bytes, which the last may overlap.
  @inlinable @inline(never) func foldOtherBlocks(of key: RawSpan, into state: UInt64) -> UInt64 {
    var state = state
    var offset = 16
    while offset < key.byteCount &- 16 {
      state = fold(key, at: offset, into: state)
      offset &+= 16
    }
    return state
  }

  // Digits of pi, so that the parts of the seed are used in different forms.
  @usableFromInline static var firstConstant: UInt64 { 0x243f_6a88_85a3_08d3 }
  @usableFromInline static var secondConstant: UInt64 { 0x1319_8a2e_0370_7344 }
}

/// Both halves of a product as one word, with the factors: where one of them is zero, the other still counts.
@inlinable @inline(__always) func foldedProduct(_ one: UInt64, _ other: UInt64) -> UInt64 {
  let product = one.multipliedFullWidth(by: other)
  return product.high ^ product.low ^ one ^ other
}

extension RawSpan {
  /// An integer in little-endian order that lies within the span, which is not asked again.
  @inlinable @inline(__always) func word<T: FixedWidthInteger & BitwiseCopyable>(
    _ type: T.Type, at offset: Int
  ) -> T {
    assert(offset >= 0 && offset &+ MemoryLayout<T>.size <= byteCount)
    // The hash above compares the length before it asks for a word.
    return T(littleEndian: unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: T.self))
  }
}
