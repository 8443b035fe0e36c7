/// The sizes that the simulated medium is made of.
public enum Geometry {
  /// What the medium writes as a whole, unless it is torn.
  public static let sectorByteCount = 512
  /// What the page cache, the allocation of space and the exposure of mappings deal in.
  public static let blockByteCount = 4096
  /// The sectors of a block.
  public static let sectorsPerBlock = blockByteCount / sectorByteCount

  /// The blocks that hold at least one byte of the range.
  static func blocks(touching range: Range<Int>) -> Range<Int> {
    guard !range.isEmpty else { return 0..<0 }
    return range.lowerBound / blockByteCount..<blockCount(for: range.upperBound)
  }

  /// The blocks that lie wholly in the range.
  static func blocks(within range: Range<Int>) -> Range<Int> {
    let first = blockCount(for: range.lowerBound)
    return first..<Swift.max(first, range.upperBound / blockByteCount)
  }

  /// How many blocks a file of so many bytes may need.
  static func blockCount(for byteCount: Int) -> Int {
    (byteCount + blockByteCount - 1) / blockByteCount
  }

  /// The bytes of a range of blocks.
  static func bytes(of blocks: Range<Int>) -> Range<Int> {
    blocks.lowerBound * blockByteCount..<blocks.upperBound * blockByteCount
  }

  /// The bytes of a sector.
  static func bytes(ofSector number: Int) -> Range<Int> {
    number * sectorByteCount..<(number + 1) * sectorByteCount
  }
}
