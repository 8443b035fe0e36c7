import Sediment
import SedimentDisk
import SedimentFormat
import SedimentTesting
import Testing

@Suite struct StoreSurveyTests {
  private let path = "/store"

  /// A store with values replaced, removed, large, compressed, of a collection, and one that expires.
  private func filled() throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 1)
    let store = try SedimentStore(path: path, disk: disk, background: ManualBackground())
    for number in 0..<500 { try store.set(String(repeating: "value ", count: 20), forKey: "\(number % 300)") }
    for number in 0..<50 { try store.remove(forKey: "\(number)") }
    try store.set([UInt8](repeating: 7, count: 300_000), forKey: "large")
    try store.set("soon", forKey: "expiring", expiry: .at(milliseconds: 1 << 45))
    try store.collection("users").set("Ada", forKey: "1")
    try store.close()
    return disk
  }

  @Test func `A reader's survey is the writer's`() throws {
    let disk = try filled()
    let reader = try SedimentStore(path: path, options: SedimentOptions(readOnly: true), disk: disk)
    let read = try reader.survey()
    try reader.close()
    let writer = try SedimentStore(
      path: path, options: SedimentOptions(mustExist: true), disk: disk, background: ManualBackground())
    let written = try writer.survey()
    #expect(read.segments == written.segments)
    #expect(written.segments == writer.segments)
    #expect(!read.segments.isEmpty)
    var (one, other) = (read.statistics, written.statistics)
    // Memory, and what an opening itself takes of the file and counts.
    for figure in [\SedimentStatistics.indexByteCount] {
      one[keyPath: figure] = 0
      other[keyPath: figure] = 0
    }
    (one.unstoredLogByteCount, other.unstoredLogByteCount) = (0, 0)
    (one.compactionDebtByteCount, other.compactionDebtByteCount) = (0, 0)
    (one.syncCount, other.syncCount) = (0, 0)
    // Who only reads does not know which free slots have blocks.
    (one.freeByteCount, other.freeByteCount) = (
      one.freeByteCount + one.holeByteCount, other.freeByteCount + other.holeByteCount
    )
    (one.holeByteCount, other.holeByteCount) = (0, 0)
    #expect(one == other)
    #expect(one.liveByteCount > 0 && one.deadByteCount > 0 && one.userByteCount > 0)
    try writer.close()
  }

  @Test func `Entries tell sizes of values and expiry without their bytes`() throws {
    let store = try SedimentStore(
      path: path, options: SedimentOptions(readOnly: true), disk: try filled())
    var found: [String: (UInt64, SedimentExpiry)] = [:]
    try store.forEachEntry(withPrefix: []) { key, byteCount, expiry in
      found[String(sedimentBytes: key) ?? ""] = (byteCount, expiry)
      return .continue
    }
    #expect(found.count == 252)
    #expect(found["299"]?.0 == 120)
    #expect(found["large"]?.0 == 300_000)
    #expect(found["large"]?.1 == .never)
    #expect(found["expiring"]?.0 == 4)
    #expect(found["expiring"]?.1 == .at(milliseconds: 1 << 45))
    var count = 0
    try store.forEachEntry(withPrefix: Array("1".utf8)) { _, _, _ in
      count += 1
      return count == 3 ? .stop : .continue
    }
    #expect(count == 3)
    try store.close()
  }

  @Test func `A glance at an open file sees what a writer has written`() throws {
    let disk = try filled()
    let writer = try SedimentStore(path: path, disk: disk, background: ManualBackground())
    try writer.set("one more", forKey: "new")
    let glance = try FileGlance(path: path, on: disk)
    let head = try glance.head()
    let headers = try glance.segmentHeaders(of: head)
    #expect(headers.count == writer.segments.count)
    let tail = try #require(writer.segments.first { $0.isTail })
    let header = try #require(headers.first { $0.identity.generation.rawValue == tail.generation })
    let records = try glance.segment(header, of: head).records
    #expect(
      records.contains { $0.header.keyByteCount == 3 && $0.header.sequence.rawValue <= writer.lastSequence })
    #expect(try glance.byteCount() == writer.statistics.fileByteCount)
    #expect(glance.owner() != nil)
    try writer.close()
  }
}
