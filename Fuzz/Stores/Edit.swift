internal import SedimentFormat
package import SedimentTesting

/// A change of a file's bytes.
package enum Edit {
  case overwrite(at: Int, [UInt8])
  /// Adds to an integer of so many bytes, the lowest first.
  case add(Int, at: Int, byteCount: Int)
  /// Stores an integer of so many bytes, the lowest first.
  case store(UInt64, at: Int, byteCount: Int)
  case flip(bit: Int, ofByte: Int)
  case copy(Range<Int>, to: Int)
  /// Zeros come in between; what follows moves back, to the end given, where as many bytes fall off.
  case insert(count: Int, at: Int, before: Int)
  /// The bytes go; what follows, to the end given, moves forward, and zeros follow.
  case remove(Range<Int>, before: Int)
  case fill(Range<Int>, UInt8)
  case resize(Int)

  /// Takes an edit out of an input; what it is done to is one of the landmarks, of which there must be some.
  ///
  /// `noise` makes bytes that nobody can aim.
  package init(
    _ reader: inout InputReader, _ landmarks: [Landmark], of byteCount: Int, noise: inout SeededGenerator?
  ) {
    func aim(_ reader: inout InputReader) -> (offset: Int, landmark: Landmark) {
      let landmark = landmarks[reader.number(below: landmarks.count)]
      // A little before its end is a little before the next one's beginning.
      return (landmark.range.lowerBound + reader.number(below: landmark.range.count + 8), landmark)
    }
    let kind = reader.byte()
    let (offset, landmark) = aim(&reader)
    switch kind & 7 {
    case 0:
      self = .overwrite(
        at: offset,
        reader.bytes(Int(kind >> 3 & 15) + 1).map { byte in
          noise == nil ? byte : byte ^ UInt8.random(in: 0...255, using: &noise!)
        })
    case 1 where kind & 32 != 0:
      let number = Self.edges[reader.number(below: Self.edges.count)]
      self = .store(number, at: offset, byteCount: 1 << Int(kind >> 3 & 3))
    case 1:
      self = .add(Int(Int8(bitPattern: reader.byte())), at: offset, byteCount: 1 << Int(kind >> 3 & 3))
    case 2: self = .flip(bit: Int(kind >> 3 & 7), ofByte: offset)
    case 3:
      let source = aim(&reader).offset
      self = .copy(source..<source + (kind & 8 == 0 ? Int(reader.byte()) + 1 : 512), to: offset)
    case 4:
      self = .insert(
        count: (Int(kind >> 3) + 1) * 8, at: landmark.range.lowerBound, before: landmark.home.upperBound)
    case 5:
      let count = kind >> 3 == 0 ? landmark.range.count : Int(kind >> 3) * 8
      let start = landmark.range.lowerBound
      self = .remove(
        start..<min(start + count, landmark.home.upperBound), before: landmark.home.upperBound)
    case 6:
      self = .fill(offset..<offset + reader.number(below: 4_097), kind & 8 == 0 ? 0 : 0xff)
    default:
      self = .resize(kind & 8 == 0 ? offset : byteCount + reader.number() * (Int(kind >> 4) + 1))
    }
  }

  /// Numbers at and around the limits of the format and of integers.
  static let edges: [UInt64] = [
    0, 1, 1 << 62, 1 << 62 - 1, 1 << 62 - 1 << 32, .max, .max >> 1, 1 << 48 - 1, 1 << 48, 1 << 38, 1 << 32,
    UInt64(Limits.fileSlotCountMax), UInt64(Limits.segmentSlotCountMax),
    UInt64(Limits.fileSlotCountMax) * Limits.slotUnitCount, UInt64(Limits.valueByteCountMax),
    UInt64(Limits.inlineValueByteCountMax), UInt64(CollectionEntry.systemNumberMin),
  ]

  /// Changes the bytes, as far as there are any in its places.
  package func apply(to bytes: inout [UInt8]) {
    func clamped(_ range: Range<Int>) -> Range<Int> { range.clamped(to: 0..<bytes.count) }
    switch self {
    case .overwrite(let offset, let new):
      let range = clamped(offset..<offset + new.count)
      bytes.replaceSubrange(range, with: new.prefix(range.count))
    case .add(let distance, let offset, let byteCount):
      let range = clamped(offset..<offset + byteCount)
      let old = range.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64(bytes[$1]) }
      Edit.store(old &+ UInt64(truncatingIfNeeded: distance), at: offset, byteCount: byteCount)
        .apply(to: &bytes)
    case .store(let number, let offset, let byteCount):
      for (place, byte) in clamped(offset..<offset + byteCount).enumerated() {
        bytes[byte] = UInt8(truncatingIfNeeded: number >> (place * 8))
      }
    case .flip(let bit, let byte):
      if byte < bytes.count { bytes[byte] ^= 1 << UInt8(bit) }
    case .copy(let source, let target):
      let copy = Array(bytes[clamped(source)])
      let range = clamped(target..<target + copy.count)
      bytes.replaceSubrange(range, with: copy.prefix(range.count))
    case .insert(let count, let offset, let end):
      let range = clamped(offset..<end)
      let kept = bytes[range].dropLast(count)
      bytes.replaceSubrange(
        range, with: Array(repeating: 0, count: range.count - kept.count) + Array(kept))
    case .remove(let removed, let end):
      let (removed, range) = (clamped(removed), clamped(removed.lowerBound..<end))
      bytes.replaceSubrange(
        range, with: Array(bytes[range].dropFirst(removed.count)) + Array(repeating: 0, count: removed.count))
    case .fill(let range, let byte):
      let range = clamped(range)
      bytes.replaceSubrange(range, with: repeatElement(byte, count: range.count))
    case .resize(let count):
      if count <= bytes.count {
        bytes.removeLast(bytes.count - count)
      } else {
        bytes += Array(repeating: 0, count: count - bytes.count)
      }
    }
  }
}
