internal import Foundation

/// How a memory layer hashes its keys: numbers and strings by itself, since Swift's hash takes a third of a hit.
///
/// With a seed, so that nobody can choose keys that collide.
@usableFromInline
package struct LRUHashing: Sendable {
  @usableFromInline let word: UInt64
  @usableFromInline let factor: UInt64

  // From Swift's seed of the process, so that hashes are equal from run to run where that is.
  private static let ofProcess = LRUHashing(
    word: UInt64(bitPattern: Int64(0.hashValue)), factor: UInt64(bitPattern: Int64(1.hashValue)) | 1)

  package init() { self = Self.ofProcess }

  private init(word: UInt64, factor: UInt64) {
    self.word = word
    self.factor = factor
  }

  /// The bits of a hash that a table works with, once mixed, because keys may have hashes of their own making.
  @inlinable @inline(__always)
  package func mixedHash<Key: Hashable>(of key: Key) -> UInt64 {
    let hash: UInt64
    if Key.self == Int.self {
      hash = unsafe self.hash(ofNumber: unsafeBitCast(key, to: Int.self))
    } else if Key.self == String.self {
      hash = unsafe self.hash(ofText: unsafeBitCast(key, to: String.self))
    } else {
      hash = UInt64(truncatingIfNeeded: key.hashValue)
    }
    return Self.product(hash, 0x9E37_79B9_7F4A_7C15)
  }

  /// The hash of a number, which is to be mixed once more: numbers at equal distances lie at equal distances still.
  @inlinable @inline(__always)
  func hash(ofNumber number: Int) -> UInt64 {
    Self.product(UInt64(bitPattern: Int64(number)) ^ word, factor)
  }

  /// Both halves of a product as one word.
  @inlinable @inline(__always)
  static func product(_ one: UInt64, _ other: UInt64) -> UInt64 {
    let product = one.multipliedFullWidth(by: other)
    return product.high ^ product.low
  }
}

// MARK: Strings

// Equal strings have equal hashes, also where one is ASCII and the other is not: it has one of the twins then, and
// stands for the same text. All others are hashed by Swift.
extension LRUHashing {
  /// The scalars beyond ASCII that are equal to one of ASCII: there are no others, and will be none.
  private static let twins: [Unicode.Scalar] = ["\u{37E}", "\u{1FEF}", "\u{212A}"]

  /// The hash of a string.
  @inlinable @inline(__always)
  func hash(ofText string: String) -> UInt64 {
    let found: UInt64?? = unsafe string.utf8.withContiguousStorageIfAvailable { bytes in
      unsafe hash(ofASCII: UnsafeRawBufferPointer(bytes))
    }
    guard let hash = found ?? nil else { return hash(ofOther: string) }
    return hash
  }

  /// The hash of a string that is not ASCII, or does not lend its bytes.
  @usableFromInline @inline(never)
  func hash(ofOther string: String) -> UInt64 {
    let hasTwin = string.unicodeScalars.contains { Self.twins.contains($0) }
    var text = hasTwin ? string.precomposedStringWithCanonicalMapping : string
    let found: UInt64? = text.withUTF8 { unsafe hash(ofASCII: UnsafeRawBufferPointer($0)) }
    return found ?? UInt64(truncatingIfNeeded: string.hashValue)
  }

  /// The hash of text in ASCII; nil if it is not.
  @inlinable @inline(__always)
  func hash(ofASCII bytes: UnsafeRawBufferPointer) -> UInt64? {
    let count = bytes.count
    // The last 16 bytes as two words, which overlap in shorter texts.
    var (state, first, second, bits): (UInt64, UInt64, UInt64, UInt64) = (factor, 0, 0, 0)
    if count >= 16 {
      var offset = 0
      while offset < count &- 16 {
        let (one, other) = unsafe (bytes.word(at: offset), bytes.word(at: offset &+ 8))
        bits |= one | other
        state = Self.product(one ^ word, other ^ state)
        offset &+= 16
      }
      unsafe (first, second) = (bytes.word(at: count &- 16), bytes.word(at: count &- 8))
    } else if count >= 8 {
      unsafe (first, second) = (bytes.word(at: 0), bytes.word(at: count &- 8))
    } else {
      var index = 0
      while index < count {
        first = first &<< 8 | UInt64(unsafe bytes[index])
        index &+= 1
      }
    }
    if (bits | first | second) & 0x8080_8080_8080_8080 != 0 { return nil }
    return Self.product(
      Self.product(first ^ word, second ^ state) ^ UInt64(truncatingIfNeeded: count), factor)
  }
}

extension UnsafeRawBufferPointer {
  /// Eight bytes of those that there are.
  @inlinable @inline(__always)
  func word(at offset: Int) -> UInt64 {
    assert(offset >= 0 && offset &+ 8 <= count)
    return unsafe loadUnaligned(fromByteOffset: offset, as: UInt64.self)
  }
}
