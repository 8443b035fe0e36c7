import BenchmarkHarness
import EngineBenchmarks
import Foundation
import Shallows
import StoreComparison
import Testing

@Suite struct StoreTestTests {
  private func report(_ contenders: [Contender]) throws -> Report {
    let folder = try Folder()
    var test = StoreTest(contenders, folder: folder.path)
    test.keyCount = 300
    test.roundCount = 2
    test.secondsMax = 0.01
    let report = try test.run()
    #expect(try folder.contents == [])
    return report
  }

  @Test func `two functions are enough, and what they cannot do is said`() throws {
    let report = try report([.dictionary("one"), .dictionary("other")])
    #expect(report.contenders?.map(\.name) == ["one", "other"])
    #expect(report.contenders?.first?.settings == ["In memory."])
    let titles = report.groups.map {
      String($0.title.prefix { $0 != "(" }).trimmingCharacters(in: .whitespaces)
    }
    #expect(
      titles == [
        "Load, one by one", "Load, one by one, until nothing is left to do",
        "Disk after loading, a byte of keys and values", "Go through all", "Retrieve into a reused buffer",
        "Retrieve in place", "Retrieve in place, 1,024 keys a call", "Retrieve what is missing",
        "Open after a close", "Load, 100,000 keys a batch", "Overwrite, 100,000 keys a batch, steady state",
        "Set, one by one, a burst right after a sync", "Remove", "Overwrite, one by one, steady state",
        "Given to the system to write, a byte overwritten", "Written to the device, a byte overwritten",
        "Disk while overwriting, at most, a byte of keys and values",
        "Disk after overwriting, a byte of keys and values",
        "Disk after half was removed, a byte of keys and values", "Half retrieve, half set, steady state",
        "Overwrite, one by one, a sync each second", "Retrieve, two threads",
        "Set, two threads, steady state",
      ])
    for group in report.groups {
      #expect(group.rows.map(\.name) == ["one", "other"])
      let isMeasured = !["Go through all", "Retrieve in place", "Load, 100,000", "Overwrite, 100,000"]
        .contains(where: group.title.hasPrefix)
      // Not every file system lies on a device.
      for row in group.rows where !row.identifier.contains("-written-") {
        #expect(row.samples.count == (isMeasured ? 2 : 0), "\(group.title)")
        #expect((row.unsupported == nil) == isMeasured, "\(group.title)")
        let hasProcessor = isMeasured && row.unit == .time
        #expect(row.processorSamples?.count == (hasProcessor ? 2 : nil), "\(group.title)")
      }
    }
  }

  @Test(arguments: [DictionaryStore.Lie.otherValue, .losesSets, .findsMissing])
  func `a store that lies ends the test`(lie: DictionaryStore.Lie) throws {
    let folder = try Folder()
    var test = StoreTest([.dictionary("liar", lie)], folder: folder.path)
    test.keyCount = 300
    test.secondsMax = 0.01
    #expect(throws: (any Error).self) { try test.run() }
  }

  @Test func `the store of this package does all that is asked, in both forms`() throws {
    let report = try report(Contender.ownStores)
    #expect(report.contenders?.map(\.identifier) == ["sediment", "sediment-again", "sediment-unsynced"])
    #expect(report.contenders?.map(\.repeats) == [nil, "Sediment", nil])
    for row in report.groups.flatMap(\.rows) where !row.identifier.contains("-written-") {
      #expect(row.samples.count == 2, "\(row.identifier)")
    }
  }

  @Test func `a storage of Shallows takes part by two functions`() throws {
    let report = try report([Contender("cities", version: "1") { _ in CityCache() }])
    #expect(report.groups[0].rows.first?.samples.count == 2)
  }
}

private struct CityCache: BenchmarkStore {
  let cities = MemoryStorage<String, Data>().makeSyncStorage()

  func set(_ key: BenchmarkKey, _ value: RawSpan) throws {
    try cities.set(unsafe value.withUnsafeBytes { unsafe Data($0) }, forKey: key.description)
  }

  func retrieve(_ key: BenchmarkKey, into buffer: inout [UInt8]) throws -> Bool {
    guard let value = try? cities.retrieve(forKey: key.description) else { return false }
    buffer = Array(value)
    return true
  }
}

@Suite struct DiskByteCountTests {
  @Test func `what files take of the disk is counted, in folders of folders, and not what they are long`()
    throws
  {
    let folder = try Folder()
    let below = "\(folder.path)/below"
    try FileManager.default.createDirectory(atPath: below, withIntermediateDirectories: false)
    let empty = try diskByteCount(of: folder.path)
    try Data(repeating: 1, count: 100_000).write(to: URL(fileURLWithPath: "\(below)/written"))
    let hollow = URL(fileURLWithPath: "\(folder.path)/hollow")
    try Data().write(to: hollow)
    try FileHandle(forWritingTo: hollow).truncate(atOffset: 1 << 30)
    let taken = try diskByteCount(of: folder.path) - empty
    #expect((100_000...200_000).contains(taken))
  }
}
