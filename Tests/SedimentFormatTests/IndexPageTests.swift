import SedimentFormat
import Testing

/// The pages of a stored index, and what their words begin with.
@Suite struct IndexPageTests {
  private static let seed = Checksum(0x1234_5678)

  private static func account(
    _ generation: UInt64, _ collection: UInt32, _ count: UInt32, extentSlotCount: UInt32 = 0
  ) -> IndexAccount {
    IndexAccount(
      generation: Generation(generation)!, collection: collection, recordCount: count, expiringCount: 1,
      byteCount: UInt64(count) * 40, extentSlotCount: extentSlotCount)!
  }

  private static let head = IndexPartHead(
    sequence: SequenceNumber(0x0102_0304_0506)!, entryCounts: [2, 0, 3],
    accounts: [account(7, 0, 4), account(9, 0x0A0B_0C0D, 1, extentSlotCount: 0x0102)])

  /// The words of a part with the head above and entries of any value.
  private static func words(_ head: IndexPartHead, entryCount: Int) -> (bytes: [UInt8], checksum: Checksum) {
    var pages = IndexPages()
    head.encode(into: &pages)
    for entry in 0..<entryCount { pages.add(UInt64(entry) + 0x8000_0000_0000_0001) }
    let checksum = pages.seal(seed: seed)
    let words = pages.words
    return (
      words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word.littleEndian >> ($0 * 8)) } },
      checksum
    )
  }

  @Test func `The words of a part lie where the format says`() throws {
    let (bytes, checksum) = Self.words(Self.head, entryCount: 5)
    let page = try unsafe IndexPage.check(bytes.span.bytes, number: 0, seed: Self.seed)
    #expect(bytes.count == 4096)
    #expect(page.wordCount == 2 + 2 + 8 + 5)
    var expected = laid(
      4096,
      [
        (4, 4, 17), (8, 8, 0x0102_0304_0506), (16, 4, 2), (24, 4, 2), (28, 4, 0), (32, 4, 3), (40, 8, 7),
        (48, 4, 0), (52, 4, 4), (56, 4, 1), (64, 8, 160), (72, 8, 9), (80, 4, 0x0A0B_0C0D), (84, 4, 1),
        (88, 4, 1), (92, 4, 0x0102), (96, 8, 40), (104, 8, 0x8000_0000_0000_0001),
        (112, 8, 0x8000_0000_0000_0002),
        (120, 8, 0x8000_0000_0000_0003), (128, 8, 0x8000_0000_0000_0004), (136, 8, 0x8000_0000_0000_0005),
      ])
    let sum = unsafe Self.seed.continued(with: 0 as UInt32)
      .continued(with: expected.span.bytes.extracting(4..<4096))
    expected.put(laid(4, [(0, 4, UInt64(sum.rawValue))]), at: 0)
    #expect(bytes == expected)
    #expect(page.checksum == sum)
    #expect(checksum == Checksum.empty.continued(with: sum.rawValue))
  }

  @Test(arguments: [1, 2, 511, 512, 1022, 1023, 2000])
  func `Words fill pages one after the other`(wordCount: Int) throws {
    var pages = IndexPages()
    for word in 0..<wordCount { pages.add(UInt64(word)) }
    let pageCount = (wordCount + 510) / 511
    #expect(pages.pageCount == pageCount)
    let checksum = pages.seal(seed: Self.seed)
    let words = pages.words
    #expect(words.count == pageCount * 512)
    var found: [UInt64] = []
    var sum = Checksum.empty
    for number in 0..<pageCount {
      let bytes = unsafe words.span.bytes.extracting(number * 4096..<(number + 1) * 4096)
      let page = try IndexPage.check(bytes, number: UInt32(number), seed: Self.seed)
      sum = sum.continued(with: page.checksum.rawValue)
      for word in 0..<page.wordCount { found.append(bytes.integer(at: 8 + word * 8)) }
    }
    #expect(found == (0..<wordCount).map { UInt64($0) })
    #expect(sum == checksum)
  }

  @Test func `A page is good in its own place and segment alone`() throws {
    let (bytes, _) = Self.words(Self.head, entryCount: 5)
    func found(_ bytes: [UInt8], number: UInt32 = 0, seed: Checksum = Self.seed) -> FormatError.Fault? {
      fault { () throws(FormatError) in
        _ = try unsafe IndexPage.check(bytes.span.bytes, number: number, seed: seed)
      }
    }
    #expect(found(bytes) == nil)
    #expect(found(bytes, number: 1) == .checksum)
    #expect(found(bytes, seed: Checksum(1)) == .checksum)
    #expect(found(Array(bytes.dropLast())) == .truncated)
    for bit in 0..<4096 * 8 {
      var damaged = bytes
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      guard found(damaged) == .checksum else {
        Issue.record("bit \(bit)")
        return
      }
    }
    for wordCount in [0, 512, UInt32.max] {
      var damaged = bytes
      damaged.put(laid(4, [(0, 4, UInt64(wordCount))]), at: 4)
      let sum = unsafe Self.seed.continued(with: 0 as UInt32)
        .continued(with: damaged.span.bytes.extracting(4..<4096))
      damaged.put(laid(4, [(0, 4, UInt64(sum.rawValue))]), at: 0)
      #expect(found(damaged) == .field(.count))
    }
  }

  // MARK: The head

  private static func decoded(
    _ words: [UInt8], partitionCount: Int = 3, entryCount: UInt64 = 5
  ) throws(FormatError) -> IndexPartHead {
    try unsafe IndexPartHead.decode(words.span.bytes, partitionCount: partitionCount, entryCount: entryCount)
  }

  /// The words of the part without the page around them.
  private static var stream: [UInt8] { Array(words(head, entryCount: 5).bytes[8..<8 + 17 * 8]) }

  @Test func `The head of a part comes back as it was`() throws {
    #expect(try Self.decoded(Self.stream) == Self.head)
    #expect(Self.head.wordCount == 12)
    #expect(Self.head.accountedCount == 5)
    let even = IndexPartHead(sequence: .zero, entryCounts: [1, 4], accounts: [Self.account(7, 0, 5)])
    let words = Array(Self.words(even, entryCount: 5).bytes[8..<8 + (3 + 4 + 5) * 8])
    #expect(try Self.decoded(words, partitionCount: 2) == even)
    let empty = IndexPartHead(sequence: .zero, entryCounts: [0], accounts: [])
    #expect(
      try Self.decoded(
        Array(Self.words(empty, entryCount: 0).bytes[8..<32]), partitionCount: 1, entryCount: 0)
        == empty)
  }

  @Test(arguments: [
    Damage(UInt64.max, at: 0, .field(.sequence)), Damage(3 as UInt32, at: 8, .field(.count)),
    Damage(1 as UInt32, at: 8, .field(.count)), Damage(UInt32.max, at: 8, .field(.count)),
    Damage(1 as UInt32, at: 12, .field(.reserved)), Damage(3 as UInt32, at: 16, .field(.count)),
    Damage(UInt32.max, at: 16, .field(.count)), Damage(1 as UInt32, at: 28, .field(.reserved)),
    Damage(0 as UInt64, at: 32, .field(.part)), Damage(UInt64.max, at: 32, .field(.part)),
    Damage(0 as UInt32, at: 44, .field(.part)), Damage(3 as UInt32, at: 44, nil),
    Damage(5 as UInt32, at: 48, .field(.part)), Damage(1 as UInt32, at: 52, nil),
    Damage(161 as UInt64, at: 56, .field(.part)), Damage(56 as UInt64, at: 56, .field(.part)),
    Damage(168 as UInt64, at: 56, nil),
  ])
  func `A field of the head is refused out of its range`(damage: Damage) {
    var words = Self.stream
    words.put(damage.bytes, at: damage.offset)
    #expect(fault { () throws(FormatError) in _ = try Self.decoded(words) } == damage.fault)
  }

  @Test func `A head fits just the partitions and entries that its part has`() {
    func found(_ words: [UInt8], _ partitionCount: Int, _ entryCount: UInt64) -> FormatError.Fault? {
      fault { () throws(FormatError) in
        _ = try Self.decoded(words, partitionCount: partitionCount, entryCount: entryCount)
      }
    }
    #expect(found(Self.stream, 3, 5) == nil)
    #expect(found(Self.stream, 3, 4) == .field(.count))
    #expect(found(Self.stream, 5, 5) == .field(.count))
    #expect(found(Self.stream, Int(UInt32.max), 5) == .field(.count))
    #expect(found(Array(Self.stream.dropLast(8)), 3, 5) == .field(.count))
    #expect(found(Self.stream + [UInt8](repeating: 0, count: 8), 3, 5) == .field(.count))
    #expect(found([], 1, 0) == .field(.count))
    #expect(found([UInt8](repeating: 0, count: 8), 1, 0) == .field(.count))
  }
}
