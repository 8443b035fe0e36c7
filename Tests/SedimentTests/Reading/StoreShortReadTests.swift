import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Testing

/// Reads that find less of the file than there was: what is missing is never taken for another key's.
@Suite struct StoreShortReadTests {
  @Test(arguments: [0, 1, 200])
  func `A removal that cannot read its key's record is an error and not a removal of nothing`(
    byteCount: Int
  ) throws {
    let fixture = try StoreFixture(.unmapped)
    try fixture.store.set([UInt8](repeating: 1, count: 400), forKey: "a")
    fixture.disk.inject(.shortRead(byteCount: byteCount), only: [.read])
    #expect(code { _ = try fixture.store.remove(forKey: "a") } == .damaged)
    #expect(try fixture.store.contains("a"))
    try fixture.store.remove(forKey: "a")
    try fixture.reopen()
    #expect(try fixture.store.count() == 0)
  }

  @Test func `An opening that finds less than there was holds each key once, or is an error`() throws {
    let fixture = try StoreFixture(.unmapped)
    for number in 0..<6 { try fixture.store.set("old", forKey: "\(number)") }
    #expect(try fixture.store.storeIndex())
    for number in 0..<4 { try fixture.store.set("new", forKey: "\(number)") }
    try fixture.store.remove(forKey: "5")
    // A close would store the index again.
    try fixture.store.sync()
    let left = fixture.disk.afterProcessDeath()
    let call = left.callCount
    _ = try StoreFixture(.unmapped, on: left)
    for number in call..<left.callCount where left.calls[number].operation == .read {
      for byteCount in [0, 1, 200] {
        let disk = fixture.disk.afterProcessDeath()
        disk.inject(.shortRead(byteCount: byteCount), atCall: number - call)
        let opened = try? StoreFixture(.unmapped, on: disk)
        disk.clearFaults()
        let store = try opened ?? StoreFixture(.unmapped, on: disk)
        let comment: Comment = "call \(number), \(byteCount) bytes"
        #expect(try store.store.keys().count == 5, comment)
        #expect(try store.store.count() == 5, comment)
        for number in 0..<5 {
          let value: [UInt8]? = try store.store.retrieve(forKey: "\(number)")
          #expect(value == Array((number < 4 ? "new" : "old").utf8), comment)
        }
      }
    }
  }
}
