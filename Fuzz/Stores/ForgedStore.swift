internal import SedimentDisk
internal import SedimentFormat
package import SedimentTesting

/// A file that was made from a sound store's by lies that agree with each other, and that has holes.
package struct ForgedStore {
  package let seed: SeedStore
  package let bytes: [UInt8]
  /// How long the file is; what lies behind the bytes is a hole.
  package let byteCount: Int
  private let isOfApple: Bool

  private static let seeds = SeedStore.all + SeedStore.indexed.suffix(2) + SeedStore.compressed.suffix(2)
  private static let lieCountMax = 4
  /// What a file may grow to: one of two lengths, so that the memory of disks is used again.
  private static let byteCountsMax = [256 << 20, 1_280 << 20]

  /// Tells lies until the dice say that it is enough.
  package init(_ dice: Dice) {
    seed = dice.element(of: Self.seeds)
    var liar = Liar(seed.bytes, dice)
    for _ in 0...dice.number(below: Self.lieCountMax) { liar.lie() }
    bytes = liar.bytes
    let slotCount = dice.element(of: [0, 0, 1, 64, 4_096, 65_536])
    byteCount = bytes.count + slotCount << 14
    isOfApple = dice.isOne(of: 4)
  }

  /// A disk with the file, in which each block of zeros is a hole.
  package func disk() throws -> SimulatedDisk {
    let byteCountMax = Self.byteCountsMax[byteCount < 128 << 20 ? 0 : 1]
    var options =
      isOfApple
      ? SimulatedDiskOptions.apple(seed: 5, fileByteCountMax: byteCountMax)
      : SimulatedDiskOptions(seed: 5, fileByteCountMax: byteCountMax)
    options.violationRule = .record
    options.wallClock = SeedScript.wallClock
    options.keepsHistory = false
    let disk = SimulatedDisk(options)
    disk.install(bytes, at: SeedStore.path)
    let file = try disk.open(SeedStore.path, .readWrite)
    for hole in holes { try file.punchHole(hole) }
    try file.truncate(to: UInt64(byteCount))
    try file.sync()
    try file.close()
    return disk
  }

  /// The runs of blocks that have zeros only.
  private var holes: [Range<UInt64>] {
    var holes: [Range<UInt64>] = []
    for start in stride(from: 0, to: bytes.count - 4_095, by: 4_096)
    where unsafe bytes.span.bytes.extracting(start..<start + 4_096).isZero(0..<4_096) {
      let range = UInt64(start)..<UInt64(start + 4_096)
      if let last = holes.last, last.upperBound == range.lowerBound {
        holes[holes.count - 1] = last.lowerBound..<range.upperBound
      } else {
        holes.append(range)
      }
    }
    return holes
  }
}
