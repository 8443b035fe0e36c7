import StoreComparison
import Testing

@Suite struct MixedLoadTests {
  private static let count = 20_000
  private static let keyCount = 1000

  private func steps(_ load: MixedLoad) -> [MixedStep] {
    load.steps(count: MixedLoadTests.count, keyCount: MixedLoadTests.keyCount, addedCount: 250, seed: 7)
  }

  @Test(arguments: [
    (MixedLoad.even, 50, 50, 0), (.ycsbA, 50, 50, 0), (.ycsbB, 95, 5, 0), (.ycsbC, 100, 0, 0),
    (.ycsbF, 50, 0, 50),
  ])
  func `each load has its share of reads, writes and both`(
    load: MixedLoad, reads: Int, writes: Int, both: Int
  ) {
    let steps = steps(load)
    func percent(_ isCounted: (MixedStep) -> Bool) -> Double {
      100 * Double(steps.count(where: isCounted)) / Double(steps.count)
    }
    #expect(abs(percent { $0.reads && !$0.writes } - Double(reads)) < 1.5)
    #expect(abs(percent { !$0.reads && $0.writes } - Double(writes)) < 1.5)
    #expect(abs(percent { $0.reads && $0.writes } - Double(both)) < 1.5)
    #expect(steps.allSatisfy { (0..<MixedLoadTests.keyCount).contains($0.keyNumber) })
  }

  @Test func `keys are added in order and read only once they are there`() {
    var present = MixedLoadTests.keyCount
    for step in steps(.ycsbD) {
      if step.writes {
        #expect(step.keyNumber == present)
        present += 1
      } else {
        #expect(step.keyNumber < present)
      }
    }
    #expect(present == MixedLoadTests.keyCount + 250)
  }

  @Test func `some keys are far more wanted than others, and loads with all alike have none`() {
    func share(_ load: MixedLoad) -> Double {
      var counts = [Int](repeating: 0, count: MixedLoadTests.keyCount)
      for step in steps(load) { counts[step.keyNumber] += 1 }
      let tenth = counts.sorted(by: >).prefix(MixedLoadTests.keyCount / 10).reduce(0, +)
      return Double(tenth) / Double(MixedLoadTests.count)
    }
    #expect(share(.ycsbC) > 0.6)
    #expect(share(.even) < 0.2)
  }

  @Test func `the same seed gives the same steps`() {
    #expect(steps(.ycsbA).map(\.keyNumber) == steps(.ycsbA).map(\.keyNumber))
    let others = MixedLoad.ycsbA.steps(count: 100, keyCount: 1000, addedCount: 0, seed: 8)
    #expect(others.map(\.keyNumber) != steps(.ycsbA).prefix(100).map(\.keyNumber))
  }
}

@Suite struct LatencyHistogramTests {
  @Test func `times are known to a thirty-second part`() {
    let histogram = LatencyHistogram()
    for _ in 0..<999 { histogram.add(100) }
    histogram.add(5000)
    #expect(histogram.count == 1000)
    #expect(histogram.exceeded(byOneOf: 2) == 102)
    #expect(histogram.exceeded(byOneOf: 500) == 102)
    #expect(histogram.exceeded(byOneOf: 1000) == 102)
    #expect(histogram.exceeded(byOneOf: 1_000_000) == 5120)
    #expect(LatencyHistogram().exceeded(byOneOf: 2) == 0)
  }

  @Test func `what takes no time at all is counted`() {
    let histogram = LatencyHistogram()
    histogram.add(0)
    #expect(histogram.count == 1)
    #expect(histogram.exceeded(byOneOf: 10) == 33)
  }
}

@Suite struct BenchmarkKeyTests {
  @Test func `keys follow from their seed, differ, and have sixteen bytes`() {
    let keys = BenchmarkKeys(count: 1000, seed: 3)
    #expect(keys.stored == BenchmarkKeys.stored(count: 1000, seed: 3))
    #expect(Set(keys.stored + keys.missing).count == 2000)
    #expect(Set(keys.shuffled) == Set(keys.stored))
    #expect(keys.shuffled != keys.stored)
    #expect(keys.stored[0].withBytes { $0.byteCount } == 16)
    #expect(keys.stored.allSatisfy { $0.withBytes { firstWord($0) } == $0.word })
    #expect(Set(keys.stored.map(\.description)).count == 1000)
    #expect(keys.stored.allSatisfy { $0.description.count == 32 })
  }

  @Test func `each value is another one throughout, and begins with its word`() {
    var value = valueBytes(count: 100)
    func words(_ first: UInt64) -> [UInt64] {
      unsafe value.withUnsafeMutableBytes { bytes in
        unsafe mark(bytes, first)
        return (0..<12).map { unsafe bytes.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self) }
      }
    }
    let (one, other) = (words(1 << 40 | 5), words(7))
    #expect(one[0] == 1 << 40 | 5)
    #expect(other[0] == 7)
    #expect(zip(one, other).allSatisfy { $0 != $1 })
    #expect(words(1 << 40 | 5) == one)
    #expect(value.count == 100)
  }

  @Test func `keys in another order have bytes of their own`() {
    let keys = BenchmarkKeys(count: 100, seed: 3)
    func places(_ keys: [BenchmarkKey]) -> Set<UnsafeRawPointer?> {
      unsafe Set(keys.map { key in unsafe key.bytes.withUnsafeBytes { $0.baseAddress } })
    }
    #expect(unsafe places(keys.stored).isDisjoint(with: places(keys.shuffled)))
    let copies = BenchmarkKey.copies(of: keys.stored)
    #expect(copies == keys.stored)
    #expect(unsafe places(copies).isDisjoint(with: places(keys.stored)))
  }
}
