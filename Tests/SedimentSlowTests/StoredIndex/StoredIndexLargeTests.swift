import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import Testing

/// An index of several parts.
struct StoredIndexLargeTests {
  @Test func `A large index is stored in several parts, which two threads read`() throws {
    let fixture = try StoreFixture()
    let count = 240_000
    for number in 0..<count { try fixture.store.set("", forKey: "\(number)") }
    #expect(try fixture.store.storeIndex())
    for number in 0..<1000 { try fixture.store.remove(forKey: "\(number * 7)") }
    try fixture.close()
    let parts = try fixture.disk.indexParts()
    #expect(parts.map(\.partitions.lowerBound).min() == 0)
    #expect(parts.count == 19)
    #expect(parts.reduce(0) { $0 + $1.entryCount } == UInt64(count))
    #expect(parts.allSatisfy { $0.pageCount <= 130 })
    let report = try fixture.disk.expectSameIndex()
    #expect(report.storedCount == UInt64(count))
    #expect(report.indexByteCount < count * 12)
  }
}
