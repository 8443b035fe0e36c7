import Sediment
import SedimentDisk
import SedimentTesting
import Testing

/// The end of an opening, with nobody else inside.
struct StoreClosingTests {
  @Test(arguments: accesses)
  func `A store closes with any number of bytes left in its segment`(access: SedimentOptions.Access) throws {
    // A segment of one slot less its header and seal, the checkpoint and the records' own bytes: whatever these
    // are, among the lengths are those that leave from nothing to a few hundred bytes.
    for length in stride(from: 15_100, through: 16_200, by: 8) {
      let fixture = try StoreFixture(access, on: SimulatedDisk(seed: UInt64(length)))
      try fixture.store.set(pattern(length), forKey: "key")
      try fixture.store.set("", forKey: "a")
      try fixture.reopen()
      #expect(fixture.store.recovery.wasClosed, "\(length) bytes")
      #expect(try fixture.store.count() == 2, "\(length) bytes")
    }
  }
}
