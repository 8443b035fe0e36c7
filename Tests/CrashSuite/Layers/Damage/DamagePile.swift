/// All damages of one kind to a file, numbered.
struct DamagePile: Sendable {
  let count: Int
  private let order: Spread
  private let make: @Sendable (Int) -> FileDamage

  private init(_ count: Int, _ make: @escaping @Sendable (Int) -> FileDamage) {
    self.count = count
    order = Spread(max(count, 1))
    self.make = make
  }

  /// The damage of a number; neighbours are far apart in the file.
  func damage(_ number: Int) -> FileDamage {
    make(order.number(at: UInt64(number)).number)
  }

  /// The damages of a file, kind by kind.
  static func all(of bytes: [UInt8], states: [[UInt8]]) -> [DamagePile] {
    let sectorCount = bytes.count / FileDamage.sectorByteCount
    let used = (0..<sectorCount).filter { sector in
      bytes[FileDamage.range(sector)].contains { $0 != 0 }
    }
    let unused = Set(0..<sectorCount).subtracting(used).sorted()
    let old = oldRanges(of: bytes, states)
    return flips(in: used.filter { $0 < headSectorCount }) + flips(in: used.filter { $0 >= headSectorCount })
      + flips(in: unused) + [
        DamagePile(bytes.count) { .cut(to: $0) },
        DamagePile(used.count) { .zeroedSector(used[$0]) },
        DamagePile(2 * (sectorCount - 1)) { number in
          let sector = number / 2
          return number % 2 == 0
            ? .doubledSector(sector, over: sector + 1) : .doubledSector(sector + 1, over: sector)
        },
        DamagePile(sectorCount - 1) { .swappedSectors($0, $0 + 1) },
        DamagePile(used.count * sectorCount) {
          .doubledSector($0 / used.count, over: used[$0 % used.count])
        },
        DamagePile(used.count * sectorCount) { .swappedSectors(used[$0 % used.count], $0 / used.count) },
        DamagePile(old.count) { .oldBytes(old[$0].range, state: old[$0].state) },
      ]
  }

  /// The sectors of the slots with the superblocks.
  private static let headSectorCount = 64

  private static func flips(in sectors: [Int]) -> [DamagePile] {
    let bitCount = FileDamage.sectorByteCount * 8
    return [
      DamagePile(sectors.count * bitCount) { .flippedBit(sectors[$0 / bitCount] * bitCount + $0 % bitCount) }
    ]
  }

  /// Sectors and whole slots that were different before.
  private static func oldRanges(
    of bytes: [UInt8], _ states: [[UInt8]]
  ) -> [(range: Range<Int>, state: Int)] {
    var ranges: [(Range<Int>, Int)] = []
    for (number, state) in states.enumerated() {
      let end = min(state.count, bytes.count)
      for byteCount in [FileDamage.sectorByteCount, 16_384] {
        for start in stride(from: 0, to: end, by: byteCount) {
          let range = start..<min(start + byteCount, end)
          if state[range] != bytes[range] { ranges.append((range, number)) }
        }
      }
    }
    return ranges
  }
}
