import BenchmarkHarness
import Testing

@Suite struct StatisticsTests {
  @Test func `the median of an odd number of samples is the middle one`() throws {
    let statistics = try #require(Statistics([5, 1, 9]))
    #expect(statistics.median == 5)
    #expect(statistics.minimum == 1)
    #expect(statistics.maximum == 9)
    #expect(statistics.spread == 1.6)
  }

  @Test func `the median of an even number of samples is the mean of the middle two`() throws {
    #expect(try #require(Statistics([4, 1, 3, 2])).median == 2.5)
  }

  @Test func `one sample has no spread`() throws {
    let statistics = try #require(Statistics([7]))
    #expect(statistics.median == 7)
    #expect(statistics.spread == 0)
  }

  @Test func `no samples have no statistics`() {
    #expect(Statistics([]) == nil)
  }

  @Test func `zeros have no spread`() throws {
    #expect(try #require(Statistics([0, 0])).spread == 0)
  }
}
