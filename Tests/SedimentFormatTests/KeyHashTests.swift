import SedimentFormat
import Testing

@Suite struct KeyHashTests {
  /// The seed of the published results: the bytes 0 to 15.
  private let low: UInt64 = 0x0706_0504_0302_0100
  private let high: UInt64 = 0x0f0e_0d0c_0b0a_0908

  private func ascending(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8($0) }
  }

  @Test(arguments: [
    (0, 0x726f_db47_dd0e_0e31 as UInt64), (1, 0x74f8_39c5_93dc_67fd), (7, 0xab02_00f5_8b01_d137),
    (8, 0x93f5_f579_9a93_2462), (9, 0x9e00_82df_0ba9_e4b0), (15, 0xa129_ca61_49be_45e5),
    (63, 0x958a_324c_eb06_4572),
  ])
  func `With two and four rounds it gives the published results`(count: Int, expected: UInt64) {
    let key = ascending(count)
    #expect(
      sipHash(unsafe key.span.bytes, low: low, high: high, wordRounds: 2, endRounds: 4) == expected)
  }

  @Test(arguments: [
    (0, 0xabac_0158_050f_c4dc as UInt64), (1, 0xc9f4_9bf3_7d57_ca93), (7, 0xd392_7d98_9bb1_1140),
    (8, 0x3690_9511_8d29_9a8e), (15, 0xd320_d86d_2a51_9956), (16, 0xcc4f_dd1a_7d90_8b66),
    (17, 0x9cf2_6890_63db_d80c), (63, 0x9d19_9062_b7bb_b3a8),
  ])
  func `A key's hash has one round a word and three at the end`(count: Int, expected: UInt64) {
    let key = ascending(count)
    #expect(KeyHash(low: low, high: high).hash(unsafe key.span.bytes) == expected)
  }

  @Test func `The collection's number and every bit of seed and key change the hash`() {
    let key = ascending(16)
    let hash = KeyHash(low: low, high: high).hash(unsafe key.span.bytes)
    #expect(KeyHash(low: low, high: high).hash(unsafe key.span.bytes, collection: 1) != hash)
    for bit in 0..<64 {
      #expect(KeyHash(low: low ^ 1 << bit, high: high).hash(unsafe key.span.bytes) != hash)
      #expect(KeyHash(low: low, high: high ^ 1 << bit).hash(unsafe key.span.bytes) != hash)
    }
    withEveryBitFlipped(key) { other, _ in
      #expect(KeyHash(low: low, high: high).hash(unsafe other.span.bytes) != hash)
    }
  }

  @Test func `Hashes of counted keys fill their top bits evenly`() {
    // 4,096 buckets of 64 expected: a fair hash leaves each between 24 and 120 (five standard deviations).
    var counts = [Int](repeating: 0, count: 4096)
    let hash = KeyHash(low: 1, high: 2)
    for number in 0..<UInt64(262_144) {
      let key = encoded(byteCount: 8) { $0.store(number, at: 0) }
      counts[Int(hash.hash(unsafe key.span.bytes) >> 52)] += 1
    }
    #expect(counts.allSatisfy { (24...120).contains($0) })
  }
}
