import StoreComparison
import Testing

/// A clock that moves only when it is told.
private final class Clock {
  var nanoseconds: UInt64 = 5_000_000_000

  func pass(seconds: Double) { nanoseconds += UInt64(seconds * 1e9) }
}

@Suite struct PacedLoopTests {
  private let clock = Clock()

  private func loop(_ secondsMax: Double, secondsBetweenSyncs: Double? = nil) -> PacedLoop {
    let clock = clock
    return PacedLoop(secondsMax: secondsMax, secondsBetweenSyncs: secondsBetweenSyncs) { clock.nanoseconds }
  }

  @Test func `who is quick does everything, in pieces that lie one behind the other`() throws {
    var loop = loop(4)
    var pieces: [Range<Int>] = []
    let done = try loop.run(2500) { pieces.append($0) }
    #expect(done == 2500)
    #expect(pieces == [0..<1000, 1000..<2000, 2000..<2500])
    #expect(loop.doneCount == 2500)
    #expect(!loop.isOver)
  }

  @Test func `who is slow stops once the time is over`() throws {
    var loop = loop(4)
    let done = try loop.run(1_000_000) { _ in clock.pass(seconds: 1.5) }
    #expect(done == 3000)
    #expect(loop.isOver)
    #expect(try loop.run(1_000_000) { _ in } == 0)
  }

  @Test func `a sync comes each second, and its time counts`() throws {
    var loop = loop(4, secondsBetweenSyncs: 1)
    var syncs: [UInt64] = []
    let done = try loop.run(
      1_000_000,
      sync: {
        syncs.append(clock.nanoseconds)
        clock.pass(seconds: 0.25)
      }
    ) { _ in clock.pass(seconds: 0.5) }
    // Seconds after the beginning: pieces end at 0.5, 1, 1.75, 2.25, 3, 3.5 and 4.25.
    #expect(syncs.map { Double($0 - 5_000_000_000) / 1e9 } == [1, 2.25, 3.5])
    #expect(done == 7000)
  }

  @Test func `without syncs nobody is asked for one`() throws {
    var loop = loop(4)
    _ = try loop.run(10_000, sync: { Issue.record("it was asked to sync") }) { _ in clock.pass(seconds: 1) }
    #expect(loop.isOver)
  }

  @Test func `calls of several rounds are counted together`() throws {
    var loop = loop(2)
    repeat { _ = try loop.run(1500) { _ in clock.pass(seconds: 0.5) } } while !loop.isOver
    #expect(loop.doneCount == 3000)
  }
}
