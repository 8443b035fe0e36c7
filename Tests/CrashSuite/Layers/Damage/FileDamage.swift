/// What can happen to the bytes of a file without anybody writing to it.
enum FileDamage: Sendable {
  case flippedBit(Int)
  case cut(to: Int)
  case zeroedSector(Int)
  /// A sector was written over another one.
  case doubledSector(Int, over: Int)
  case swappedSectors(Int, Int)
  /// Bytes of an earlier state of the file, by its number, are where they were then.
  case oldBytes(Range<Int>, state: Int)

  static let sectorByteCount = 512

  /// Whether all but one sector is as it was.
  var isOfOneSector: Bool {
    switch self {
    case .flippedBit, .zeroedSector, .doubledSector: true
    case .cut, .swappedSectors, .oldBytes: false
    }
  }

  /// The file with the damage; `states` are its earlier states.
  func applied(to bytes: [UInt8], states: [[UInt8]]) -> [UInt8] {
    var result = bytes
    switch self {
    case .flippedBit(let bit): result[bit / 8] ^= 1 << UInt8(bit % 8)
    case .cut(let byteCount): result.removeLast(bytes.count - byteCount)
    case .zeroedSector(let sector):
      let range = Self.range(sector)
      result.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
    case .doubledSector(let source, let target):
      result.replaceSubrange(Self.range(target), with: bytes[Self.range(source)])
    case .swappedSectors(let one, let other):
      result.replaceSubrange(Self.range(one), with: bytes[Self.range(other)])
      result.replaceSubrange(Self.range(other), with: bytes[Self.range(one)])
    case .oldBytes(let range, let state):
      result.replaceSubrange(range, with: states[state][range])
    }
    return result
  }

  static func range(_ sector: Int) -> Range<Int> {
    sector * sectorByteCount..<(sector + 1) * sectorByteCount
  }
}
