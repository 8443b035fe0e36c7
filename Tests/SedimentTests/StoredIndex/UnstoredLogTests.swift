import Sediment
import Testing

/// When the background may store the index.
struct UnstoredLogTests {
  @Test func `Storing gets a fiftieth of the time, and waits for nothing where an opening scanned much`() {
    var log = UnstoredLog()
    #expect(log.pause(at: 1_000_000, keyCount: 10_000) == 0)
    log.attemptedAt = 1_000_000
    #expect(log.pause(at: 1_000_000, keyCount: 10_000) == 50_000_000)
    #expect(log.pause(at: 50_999_999, keyCount: 10_000) == 1)
    #expect(log.pause(at: 51_000_000, keyCount: 10_000) == 0)
    #expect(log.pause(at: 51_000_000, keyCount: 20_000) == 50_000_000)
    #expect(log.pause(at: 1_000_000, keyCount: 0) == 0)
  }
}
