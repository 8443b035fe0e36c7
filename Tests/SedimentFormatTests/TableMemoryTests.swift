import CSediment
import Synchronization
import Testing

/// Memory of tables, each filled with a number of its own.
private struct NumberedTables {
  private var tables: [(address: UInt, wordCount: Int, number: UInt64)] = []
  private var random: SplitMix
  /// How many bytes of a table, an address or a word were not as they should be.
  private(set) var wrongCount = 0
  private static let byteCounts = [64, 4096, 65_472, 65_536, 73_728, 200_000, 260_032, 2_097_152, 5_000_000]

  init(seed: UInt64) {
    random = SplitMix(seed: seed)
  }

  mutating func run(stepCount: Int) {
    for step in 0..<stepCount {
      if tables.count < 40, random.next() % 5 < 3 { add(UInt64(step)) } else { removeOne() }
    }
    while !tables.isEmpty { removeOne() }
  }

  private mutating func add(_ number: UInt64) {
    let byteCount = Self.byteCounts[Int(random.next() % UInt64(Self.byteCounts.count))] / 64 * 64
    guard let table = unsafe sediment_table_new(byteCount) else {
      wrongCount += 1
      return
    }
    let address = UInt(bitPattern: table)
    if address % 64 != 0 { wrongCount += 1 }
    let number = number << 32 | random.next() >> 32
    unsafe table.initializeMemory(as: UInt64.self, repeating: number, count: byteCount / 8)
    tables.append((address, byteCount / 8, number))
  }

  private mutating func removeOne() {
    guard !tables.isEmpty else { return }
    let (address, wordCount, number) = tables.remove(at: Int(random.next() % UInt64(tables.count)))
    guard let table = unsafe UnsafeMutableRawPointer(bitPattern: address) else { return }
    let words = unsafe UnsafeBufferPointer(
      start: table.assumingMemoryBound(to: UInt64.self), count: wordCount)
    if unsafe words.contains(where: { $0 != number }) { wrongCount += 1 }
    unsafe sediment_table_free(table)
  }
}

@Suite struct TableMemoryTests {
  @Test(arguments: UInt64(1)...4)
  func `Each table has memory of its own until it is given back`(_ seed: UInt64) {
    var tables = NumberedTables(seed: seed)
    tables.run(stepCount: 1500)
    #expect(tables.wrongCount == 0)
  }

  @Test func `So it has while others take and give back memory`() async {
    let wrongCount = await withTaskGroup(of: Int.self) { group in
      for seed in UInt64(10)..<14 {
        group.addTask {
          var tables = NumberedTables(seed: seed)
          tables.run(stepCount: 800)
          return tables.wrongCount
        }
      }
      return await group.reduce(0, +)
    }
    #expect(wrongCount == 0)
  }

  #if os(Linux) && (arch(x86_64) || arch(arm64))
    @Test func `Long tables lie side by side, and are taken again once they were given back`() throws {
      // Sanitizers watch `malloc`, from which all tables come then.
      guard sediment_table_is_long(1 << 20) != 0 else { return }
      let count = 64
      var lowest = UInt.max
      var highest = UInt.min
      for _ in 0..<50 {
        let tables = (0..<count).map { _ in UInt(bitPattern: unsafe sediment_table_new(1 << 20)) }
        for table in tables {
          lowest = min(lowest, table)
          highest = max(highest, table + 1 << 20)
        }
        for table in tables { unsafe sediment_table_free(UnsafeMutableRawPointer(bitPattern: table)) }
      }
      // What other tests have taken at the same time lies in between.
      #expect(highest - lowest < UInt(count) << 20 * 8)
      #expect(sediment_table_is_long(64) == 0)
    }
  #endif
}
