import FuzzStores
import Sediment
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Stored indexes whose pages are sound and say other things than the records.
struct StoredIndexLieTests {
  enum Lie: CaseIterable {
    /// The entry of a key leads to its older record.
    case superseded
    /// The entry of a key has other bits of its hash.
    case missing
    /// The entries of two keys lead to each other's records.
    case swapped
  }

  private static let path = StoreFixture.path

  /// A closed store with a stored index; two records of "key 5", and one of "key 6", by their positions.
  private static func store() throws -> (bytes: [UInt8], old: UInt64, new: UInt64, other: UInt64) {
    let fixture = try StoreFixture()
    for number in 0..<3_000 {
      try fixture.store.set("value \(number)", forKey: "key \(number)")
      // In the segment of the older record, so that the accounts of the segments agree with the lie.
      if number == 10 { try fixture.store.set("newest", forKey: "key 5") }
    }
    try #require(try fixture.store.storeIndex())
    try fixture.close()
    let bytes = fixture.contents
    func positions(_ key: String) throws -> [UInt64] {
      try FileInspection.inspect(path: path, on: fixture.disk).segments.flatMap(\.records).filter { record in
        let (start, range) = (Int(record.offset.byteOffset), record.header.keyRange)
        return bytes[start + range.lowerBound..<start + range.upperBound].elementsEqual(key.utf8)
      }.map { $0.offset.rawValue }.sorted()
    }
    let five = try positions("key 5")
    try #require(five.count == 2)
    return (bytes, five[0], five[1], try #require(try positions("key 6").first))
  }

  /// Changes the words of the stored index that lead to a position, of which there must be one.
  private static func change(
    _ bytes: inout [UInt8], _ ranges: [Range<Int>], leadingTo position: UInt64, _ body: (inout UInt64) -> Void
  ) throws {
    let mask = UInt64(1) << 38 - 1
    var count = 0
    for range in ranges {
      for place in stride(from: range.lowerBound, to: range.upperBound - 8, by: 4) {
        var word = (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[place + $1]) << UInt64($1 * 8) }
        guard word & mask == position, word > mask else { continue }
        body(&word)
        for byte in 0..<8 { bytes[place + byte] = UInt8(truncatingIfNeeded: word >> UInt64(byte * 8)) }
        count += 1
      }
    }
    try #require(count == 1)
  }

  @Test(arguments: Lie.allCases)
  func `A stored index that lies is damage, and salvage has what the records say`(lie: Lie) throws {
    let (original, old, new, other) = try Self.store()
    let sound = SimulatedDisk(seed: 2)
    sound.install(original, at: Self.path)
    let report = try SedimentStore.verify(path: Self.path, on: sound)
    #expect(report.findings == [])
    let ranges = report.segments.filter { $0.kind == .index }
      .map { Int($0.range.lowerBound)..<Int($0.range.upperBound) }
    var bytes = original
    switch lie {
    case .superseded: try Self.change(&bytes, ranges, leadingTo: new) { $0 = $0 &+ (old &- new) }
    case .missing: try Self.change(&bytes, ranges, leadingTo: new) { $0 ^= 1 << 55 }
    case .swapped:
      // By a position that nothing has.
      try Self.change(&bytes, ranges, leadingTo: new) { $0 += 1 }
      try Self.change(&bytes, ranges, leadingTo: other) { $0 = $0 &+ (new &- other) }
      try Self.change(&bytes, ranges, leadingTo: new + 1) { $0 = $0 &+ (other &- (new + 1)) }
    }
    let disk = SimulatedDisk(seed: 2)
    disk.install(Mender.mend(bytes, of: original, Mender.Rule(mendsIndex: true)), at: Self.path)
    // The lie is one that an opening believes.
    let store = try StoreFixture.opened(Self.path, on: disk, readOnly: true)
    #expect(try store.retrieve(forKey: "key 5", as: String.self) != "newest")
    try store.close()
    let found = try SedimentStore.verify(path: Self.path, on: disk)
    #expect(!found.isIntact)
    #expect(found.findings.map(\.kind) == [.inconsistent])
    #expect(
      found.findings.allSatisfy { finding in
        ranges.contains { $0.lowerBound == Int(finding.range.lowerBound) }
      })
    let (saved, copy) = try SalvageTests.salvage(disk)
    #expect(saved.keyCount == 3_000)
    #expect(try copy.retrieve(forKey: "key 5", as: String.self) == "newest")
  }
}
