import Foundation

/// What the bytes of values look like.
enum Content: String, CaseIterable, Sendable {
  case random, text, zeros, mixed
}

/// A key, which its bytes follow from and which follows from them.
struct Key: Hashable, Sendable {
  /// Whose it is.
  var thread: UInt8
  /// Which of the keys of that length it is.
  var number: UInt32
  var byteCount: UInt16

  /// A key of that length or, where there are not so many of them, a longer one.
  init(thread: UInt8, number: UInt32, byteCount: Int) {
    self.thread = thread
    self.number = number
    // The key without a byte belongs to the first thread.
    var length = thread == 0 ? byteCount : max(byteCount, 1)
    while length < 5, UInt64(number) >= 1 << UInt64(8 * max(length - 1, 0)) { length += 1 }
    self.byteCount = UInt16(length)
  }

  /// The key that has these bytes; nil if none has.
  init?(_ bytes: [UInt8]) {
    guard bytes.count <= 65_535 else { return nil }
    thread = bytes.first ?? 0
    number = 0
    for place in stride(from: min(bytes.count, 5) - 1, to: 0, by: -1) {
      number = number << 8 | UInt32(bytes[place])
    }
    byteCount = UInt16(bytes.count)
    if self.bytes != bytes { return nil }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(byteCount))
    if byteCount > 0 { bytes.append(thread) }
    var rest = number
    while bytes.count < min(Int(byteCount), 5) {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
    while bytes.count < Int(byteCount) {
      bytes.append(UInt8(truncatingIfNeeded: bytes.count &* 7 &+ Int(number)))
    }
    return bytes
  }
}

/// A value, which its bytes follow from.
struct Value: Hashable, Sendable {
  /// The number of its writing, which no other value of the case has.
  var stamp: UInt64
  var byteCount: Int
  var content: Content

  /// Its length and first bytes, by which different values of eight bytes or more differ.
  struct Signature: Hashable, Sendable {
    var byteCount: Int
    var head: UInt64

    init(byteCount: Int, head: UInt64) {
      self.byteCount = byteCount
      self.head = head
    }

    init(_ bytes: RawSpan) {
      byteCount = bytes.byteCount
      head = 0
      for place in 0..<min(bytes.byteCount, 8) {
        head |= UInt64(unsafe bytes.unsafeLoad(fromByteOffset: place, as: UInt8.self)) << UInt64(8 * place)
      }
    }
  }

  var signature: Signature {
    let kept = byteCount >= 8 ? UInt64.max : (1 << UInt64(8 * byteCount)) - 1
    return Signature(byteCount: byteCount, head: stamp & kept)
  }

  /// Makes a buffer hold its bytes.
  func fill(_ buffer: inout [UInt8]) {
    let count = byteCount
    buffer = unsafe [UInt8](unsafeUninitializedCapacity: count) { target, written in
      // Every byte is written: whole words first, then what is left of the last one.
      let raw = UnsafeMutableRawBufferPointer(target)
      var state = stamp
      for number in 0..<count / 8 {
        unsafe raw.storeBytes(of: word(number, &state), toByteOffset: number * 8, as: UInt64.self)
      }
      let last = word(count / 8, &state)
      for place in count / 8 * 8..<count {
        let byte = UInt8(truncatingIfNeeded: last >> UInt64(8 * (place % 8)))
        unsafe raw.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
      }
      written = count
    }
  }

  var bytes: [UInt8] {
    var bytes: [UInt8] = []
    fill(&bytes)
    return bytes
  }

  /// Whether those are its bytes.
  func isEqual(to bytes: RawSpan, _ buffer: inout [UInt8]) -> Bool {
    guard bytes.byteCount == byteCount, Signature(bytes) == signature else { return false }
    fill(&buffer)
    return unsafe buffer.span.bytes.isEqual(to: bytes)
  }

  @inline(__always)
  private func word(_ number: Int, _ state: inout UInt64) -> UInt64 {
    if number == 0 { return stamp }
    if content == .random || content == .mixed && number / 16 % 3 == 0 {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return state
    }
    return content == .zeros ? 0 : Self.line[number & 7]
  }

  /// A line of sixty-four characters that comes again and again.
  private static let line: [UInt64] = [
    0x6e_22_3a_22_65_6d_61_6e, 0x6c_61_72_65_6e_65_67_20, 0x63_69_74_79_22_3a_22_4b,
    0x68_61_72_6b_69_76_22_2c,
    0x61_63_74_69_76_65_22_3a, 0x74_72_75_65_2c_22_61_67, 0x65_22_3a_34_32_2c_22_76,
    0x69_73_69_74_73_22_3a_31,
  ]
}

extension RawSpan {
  /// Whether another has the same bytes.
  func isEqual(to other: RawSpan) -> Bool {
    guard byteCount == other.byteCount else { return false }
    return unsafe withUnsafeBytes { own in
      unsafe other.withUnsafeBytes { others in
        unsafe own.isEmpty || memcmp(own.baseAddress!, others.baseAddress!, own.count) == 0
      }
    }
  }
}
