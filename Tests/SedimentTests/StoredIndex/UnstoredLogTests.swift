import Sediment
import Testing

/// When the background may store the index.
struct UnstoredLogTests {
  @Test func `Storing gets a fiftieth of the time, by what it took the last time`() {
    var log = UnstoredLog(openedAt: 1_000_000)
    // 100 ns a key are guessed: 1 ms for 10,000 keys.
    #expect(log.pause(at: 1_000_000, keyCount: 10_000) == 50_000_000)
    #expect(log.pause(at: 50_999_999, keyCount: 10_000) == 1)
    #expect(log.pause(at: 51_000_000, keyCount: 10_000) == 0)
    #expect(log.pause(at: 51_000_000, keyCount: 20_000) == 50_000_000)
    // It took 200 ns a key.
    log.noteAttempt(from: 60_000_000, to: 62_000_000, keyCount: 10_000)
    #expect(log.pause(at: 62_000_000, keyCount: 10_000) == 100_000_000)
    #expect(log.pause(at: 162_000_000, keyCount: 10_000) == 0)
    // What failed says nothing of that, but takes time, too.
    log.noteAttempt(from: 170_000_000, to: 170_000_100, keyCount: 0)
    #expect(log.pause(at: 170_000_100, keyCount: 10_000) == 100_000_000)
    #expect(log.pause(at: 170_000_100, keyCount: 0) == 0)
  }
}
