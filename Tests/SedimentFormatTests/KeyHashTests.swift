import SedimentFormat
import Testing

@Suite struct KeyHashTests {
  /// The bytes 0 to 15, which make one factor of the key of the same bytes zero.
  private let low: UInt64 = 0x0706_0504_0302_0100
  private let high: UInt64 = 0x0f0e_0d0c_0b0a_0908

  private func ascending(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8($0) }
  }

  // Computed by another program, from the description in StoredIndexFormat alone.
  @Test(arguments: [
    (0, 0xdaa8_62cb_1142_b543 as UInt64), (1, 0x0dbd_96c3_6ff1_67f5), (2, 0x76d4_7e6f_5d58_0182),
    (3, 0xab83_2145_3769_5e3b), (4, 0x64dc_b041_4e8a_9f6f), (7, 0xbe53_749d_0e9a_d5a1),
    (8, 0x2bd4_19f0_1b2c_d267), (9, 0x139f_2b98_40c0_4893), (15, 0x00e8_f8fb_2dd6_086e),
    (16, 0xdadd_386f_4b2f_854c), (17, 0xcb13_5285_5297_540f), (31, 0xb297_a064_2cad_2594),
    (32, 0xfd44_9982_7f6d_903b), (33, 0xafec_6138_3f2f_7e05), (63, 0xc9f4_ae8a_6f30_c7de),
  ])
  func `Keys of all lengths have the hashes that the format describes`(count: Int, expected: UInt64) {
    #expect(KeyHash(low: low, high: high).hash(unsafe ascending(count).span.bytes) == expected)
  }

  @Test func `The collection's number goes into the hash as the format describes`() {
    let hash = KeyHash(low: low, high: high).hash(unsafe ascending(16).span.bytes, collection: 0x0102_0304)
    #expect(hash == 0xf2ef_e844_c161_3d30)
  }

  @Test func `The bits of a hash that are a tag depend on the collection alone, but for the default one's`() {
    let keyHash = KeyHash(low: 5, high: 6)
    func tags(_ collection: UInt32) -> Set<UInt64> {
      Set(
        (0..<2_000).map { number in
          keyHash.hash(unsafe Array("\(number)".utf8).span.bytes, collection: collection) >> 31 & 63
        })
    }
    #expect(tags(0) == Set(stride(from: 0, to: 64, by: 2)))
    for number in 1..<100 as Range<UInt32> {
      #expect(tags(number) == [UInt64(number % 32) * 2 + 1])
      #expect(CollectionTag.named(number) == UInt64(number % 32) * 2 + 1)
    }
    #expect(tags(.max - 1) == [61])
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

  /// Keys as programs make them, and keys that differ where a weak hash would not see it.
  private static let families: [(String, @Sendable (UInt64) -> [UInt8])] = [
    ("numbers, low byte first", { number in encoded(byteCount: 8) { $0.store(number, at: 0) } }),
    ("numbers, high byte first", { number in encoded(byteCount: 8) { $0.store(number.byteSwapped, at: 0) } }),
    ("numbers of four bytes", { number in encoded(byteCount: 4) { $0.store(UInt32(number), at: 0) } }),
    ("decimal digits", { Array("user:\($0)".utf8) }),
    ("digits in the middle", { Array("session-\($0 % 1000)-of-user-\($0 / 1000)-in-a-long-name".utf8) }),
    (
      "the same number twice",
      { number in
        encoded(byteCount: 16) {
          $0.store(number, at: 0)
          $0.store(number, at: 8)
        }
      }
    ),
    (
      "high bits of two words",
      { number in
        encoded(byteCount: 16) {
          $0.store(number << 46, at: 0)
          $0.store((number >> 9) << 55, at: 8)
        }
      }
    ),
    ("a number before zeros", { number in encoded(byteCount: 64) { $0.store(number, at: 0) } }),
    ("a number after zeros", { number in encoded(byteCount: 64) { $0.store(number, at: 56) } }),
  ]

  @Test(arguments: KeyHashTests.families.map(\.0), [1, 2, 3] as [UInt64])
  func `Keys that are alike fill the top bits evenly, and never share a hash`(name: String, seed: UInt64) {
    // 4,096 buckets of 64 expected: a fair hash leaves each between 20 and 124 (more than seven standard deviations
    // above, five below).
    let family = Self.families.first { $0.0 == name }!.1
    let keyHash = KeyHash(low: seed &* 0x9e37_79b9_7f4a_7c15, high: ~seed &* 0xd1b5_4a32_d192_ed03)
    var counts = [Int](repeating: 0, count: 4096)
    var hashes: Set<UInt64> = []
    for number in 0..<UInt64(262_144) {
      let hash = keyHash.hash(unsafe family(number).span.bytes)
      counts[Int(hash >> 52)] += 1
      hashes.insert(hash)
    }
    #expect(counts.allSatisfy { (20...124).contains($0) })
    #expect(hashes.count == 262_144)
  }
}
