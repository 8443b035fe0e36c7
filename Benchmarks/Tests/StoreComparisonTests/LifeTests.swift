import BenchmarkHarness
import EngineBenchmarks
import Foundation
import StoreComparison
import Synchronization
import Testing

/// What each store of a comparison is asked for, so that no row pays for another.
@Suite struct LifeTests {
  /// What was done to one store from its opening on.
  private final class Log: Sendable {
    struct Store {
      var place: StorePlace
      var singles = 0
      var batches = 0
      var removals = 0
      var reads = 0
    }

    let stores = Mutex<[Store]>([])

    func note(_ number: Int, _ change: @Sendable (inout Store) -> Void) {
      stores.withLock { change(&$0[number]) }
    }
  }

  /// A store in memory that notes what it is asked for.
  private final class NotingStore: BenchmarkStore {
    private let values: DictionaryStore
    private let number: Int
    private let log: Log

    init(_ log: Log, _ place: StorePlace, _ values: DictionaryStore) {
      self.log = log
      self.values = values
      number = log.stores.withLock { stores in
        stores.append(Log.Store(place: place))
        return stores.count - 1
      }
    }

    func set(_ key: BenchmarkKey, _ value: RawSpan) {
      log.note(number) { $0.singles += 1 }
      values.set(key, value)
    }

    func setMany(_ keys: ArraySlice<BenchmarkKey>, _ value: [UInt8], mask: UInt64) {
      log.note(number) { $0.batches += 1 }
      var value = value
      for key in keys {
        unsafe value.withUnsafeMutableBytes { unsafe StoreComparison.mark($0, key.word ^ mask) }
        values.set(key, unsafe value.span.bytes)
      }
    }

    func retrieve(_ key: BenchmarkKey, into buffer: inout [UInt8]) -> Bool {
      log.note(number) { $0.reads += 1 }
      return values.retrieve(key, into: &buffer)
    }

    func remove(_ key: BenchmarkKey) -> Bool {
      log.note(number) { $0.removals += 1 }
      return values.remove(key)
    }
  }

  private func contender(_ log: Log) -> Contender {
    let stores = Mutex<[String: DictionaryStore]>([:])
    return Contender("noting", version: "1") { place in
      let isNew = !FileManager.default.fileExists(atPath: "\(place.folder)/is-there")
      try Data("yes".utf8).write(to: URL(fileURLWithPath: "\(place.folder)/is-there"))
      let values = stores.withLock { stores in
        let values = isNew ? DictionaryStore() : stores[place.folder] ?? DictionaryStore()
        stores[place.folder] = values
        return values
      }
      return NotingStore(log, place, values)
    }
  }

  private func stores(of part: Options.Part) throws -> [Log.Store] {
    let (log, folder) = (Log(), try Folder())
    var scale = ComparisonScale.quick
    scale.keyCount = 1000
    scale.sampleCountMax = 100
    let sections = ComparisonSections(
      scale, contenders: [contender(log)], directory: folder.path, program: "/usr/bin/false")
    for benchmark in sections.section(part).groups.flatMap(\.benchmarks) {
      do { _ = try benchmark.run() } catch is Unsupported {}
    }
    return log.stores.withLock { $0 }
  }

  private static let parts = Options.Part.comparison.filter {
    $0 != .memory && $0 != .limited && $0 != .manyKeys
  }

  @Test(arguments: parts)
  func `no store whose single sets are timed was written in batches`(part: Options.Part) throws {
    let stores = try stores(of: part)
    #expect(!stores.isEmpty)
    // Where nothing but sets that wait for the disk are measured, the keys they overwrite may come in a batch.
    for store in stores where part != .waiting {
      #expect(store.singles == 0 || store.batches == 0, "\(part)")
    }
  }

  @Test(arguments: parts)
  func `only stores of thread rows are opened for several threads`(part: Options.Part) throws {
    let counts = Set(try stores(of: part).map(\.place.threadCount))
    switch part {
    case .threads: #expect(counts == [2])
    case .waiting: #expect(counts == [1, 16])
    default: #expect(counts == [1])
    }
  }

  @Test func `whatever changes a store is the only thing that is timed in its life`() {
    let lives = Life.short + Life.steady + Life.onOneProcessor + [Life.threads, .latency(rate: 10)]
    for life in lives {
      let changing = life.workloads.filter { workload in
        switch workload {
        case .overwrite, .overwriteSynced, .mixed, .set, .setInTwoThreads, .remove: true
        default: false
        }
      }
      #expect(changing.count <= 1, "\(life.workloads)")
      if life.workloads.contains(.twoThreads) || life.workloads.contains(.setInTwoThreads) {
        #expect(life.threadCount == 2)
      }
    }
  }

  @Test func `samples are as long as they should be, however quick the store is`() throws {
    let folder = try Folder()
    var timing = Timing.quick
    timing.sample = 0.05
    timing.steadySample = 0.06
    let sheet = ComparisonSheet(
      "100 B", DataSet("test", keyCount: 500, valueByteCount: 100, drawCount: 2),
      [.reading, Life([.overwrite]), Life([.mixed(.even)]), Life([.set]), Life([.remove]), .threads],
      contenders: [.dictionary("one")], sampleCountMax: 100, timing: timing, directory: folder.path,
      program: "")
    for benchmark in sheet.section.groups.flatMap(\.benchmarks) where benchmark.quantity == .time {
      do {
        let sample = try benchmark.run()
        // An opening is short by nature, and done ten times.
        let isShort = benchmark.identifier.hasPrefix("test-open-")
        #expect(sample.measured >= 50_000_000 || isShort && sample.amount == 10, "\(benchmark.identifier)")
      } catch is Unsupported {}
    }
  }

  @Test func `a store that is not at rest in time says so`() throws {
    let folder = try Folder()
    var timing = Timing.quick
    timing.steadyMin = 1000
    timing.steadyMax = 0.02
    let sheet = ComparisonSheet(
      "100 B", DataSet("test", keyCount: 500, valueByteCount: 100, drawCount: 2), [Life([.overwrite])],
      contenders: [.dictionary("one")], sampleCountMax: 100, timing: timing, directory: folder.path,
      program: "")
    let measured = try sheet.section.measured(roundCount: 1).groups
    #expect(measured[0].rows[0].remarks == ["still moving after 0 s"])
  }

  @Test func `a latency has a hundred steps beyond it, or is not told`() throws {
    let folder = try Folder()
    var timing = Timing.quick
    timing.paced = 0.4
    let sheet = ComparisonSheet(
      "100 B", DataSet("test", keyCount: 500, valueByteCount: 100, drawCount: 2), [.latency(rate: 1000)],
      contenders: [.dictionary("one")], sampleCountMax: 100, timing: timing, directory: folder.path,
      program: "")
    let rows = try sheet.section.measured(roundCount: 1).groups.map { $0.rows[0] }
    // Four hundred steps are enough for one of two, and not for one of a hundred.
    #expect(rows.map(\.samples.count) == [1, 0, 0, 0])
    #expect(rows[3].unsupported == "there were not 1,000,000 steps")
  }

  @Test func `an hour of overwriting is seen as speed, size and processor time`() throws {
    let folder = try Folder()
    let data = DataSet("hour", keyCount: 200, valueByteCount: 100, drawCount: 2)
    let run = EnduranceRun(
      [.sediment, Contender.sediment.again], data: data, seconds: 0.1, secondsBetweenLooks: 0.02,
      directory: folder.path)
    var names: [String] = []
    let series = try run.series { names.append($0) }
    #expect(names == ["Sediment"])
    #expect(try folder.contents == [])
    #expect((2...6).contains(series[0].points.count))
    for point in series[0].points {
      #expect(point.nanosecondsAStep > 0)
      #expect(point.processorNanosecondsAStep > 0)
      #expect(point.bytesAByte > 1)
    }
    let endurance = Endurance(
      date: .now, machine: Machine.current(directory: "/", swiftVersion: nil), isQuick: true, series: series)
    try endurance.write(to: folder.path)
    #expect(
      Set(try folder.contents) == ["hour.json", "hour-speed.tsv", "hour-size.tsv", "hour-processor.tsv"])
    let blocks = endurance.lines(\.bytesAByte).components(separatedBy: "\n\n\n")
    #expect(blocks.count == 3)
    #expect(blocks[1].split(separator: "\n").count == series[0].points.count)
  }
}
