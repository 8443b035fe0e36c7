import BenchmarkHarness
import Testing

private let parts =
  "machine, load-100, read-100, load-1000, read-1000, synced, reopening, small, growth, space, spending, copying,"
  + " interfaces, compression, stores, steady, threads, processor, latency, sizes, ycsb, large, json, memory, waiting, keys, many-keys, limited, hour,"
  + " shallows, vellum,"
  + " 100, 1000, all, comparison, engine, storages"

@Suite struct OptionsTests {
  private let folders = ["--directory", "data", "--output", "results"]

  @Test func `a run takes three rounds, and seven if it is one to be kept`() throws {
    let options = try Options(folders)
    #expect(!options.isQuick)
    #expect(!options.isFull)
    #expect(options.roundCount == 3)
    let full = try Options(["--full"] + folders)
    #expect(full.isFull)
    #expect(full.roundCount == 7)
    #expect(try !Options(["--full", "--quick"] + folders).isFull)
    #expect(try Options(["--full", "--rounds", "2"] + folders).roundCount == 2)
    #expect(options.directory == "data")
    #expect(options.output == "results")
  }

  @Test func `a quick run takes three rounds`() throws {
    let options = try Options(["--quick"] + folders)
    #expect(options.isQuick)
    #expect(options.roundCount == 3)
  }

  @Test func `a sweep takes two rounds`() throws {
    #expect(try Options(["--sweep"] + folders).isSweep)
    #expect(try Options(["--sweep"] + folders).roundCount == 2)
    #expect(try Options(["--sweep", "--rounds", "4"] + folders).roundCount == 4)
    #expect(try !Options(folders).isSweep)
  }

  @Test func `the number of rounds can be chosen, before or after quick`() throws {
    #expect(try Options(["--rounds", "5", "--quick"] + folders).roundCount == 5)
    #expect(try Options(["--quick", "--rounds", "99"] + folders).roundCount == 99)
  }

  @Test func `what shows a newcomer what there is is measured unless other parts are chosen`() throws {
    let short: [Options.Part] = [
      .stores, .steady, .threads, .processor, .large, .json, .memory, .waiting, .keys,
    ]
    #expect(try Options(folders).parts == short + [.load100, .read100])
    let comparison = try Options(["--only", "comparison"] + folders).parts
    #expect(Set(comparison) == Set(short + [.latency, .sizes, .ycsb, .manyKeys, .limited]))
    #expect(try Options(["--only", "all"] + folders).parts == Options.Part.allCases.filter { $0 != .hour })
    #expect(try Options(["--only", "hour"] + folders).parts == [.hour])
    #expect(try Options(["--only", "machine"] + folders).parts == [.machine])
    #expect(try Options(["--only", "growth,100,growth"] + folders).parts == [.load100, .read100, .growth])
    #expect(try Options(["--only", "1000"] + folders).parts == [.load1000, .read1000])
    #expect(
      try Options(["--only", "engine"] + folders).parts
        == [
          .load100, .read100, .load1000, .read1000, .synced, .reopening, .small, .growth, .space,
          .spending, .copying, .interfaces, .compression,
        ])
    #expect(try Options(["--only", "synced", "--only", "small"] + folders).parts == [.small])
  }

  @Test func `some contenders may take part, and a run may go on with what an earlier one has`() throws {
    #expect(try Options(folders).contenders == [])
    #expect(try Options(["--contenders", "one,other"] + folders).contenders == ["one", "other"])
    #expect(try !Options(folders).isResumed)
    #expect(try Options(["--resume"] + folders).isResumed)
  }

  @Test func `there may be a folder in memory`() throws {
    #expect(try Options(folders).memoryDirectory == nil)
    #expect(try Options(["--memory-directory", "m"] + folders).memoryDirectory == "m")
  }

  @Test(arguments: [
    (["--fast"], "unknown option '--fast'"),
    (["--rounds"], "--rounds needs a value"),
    (["--rounds", "0"], "--rounds needs a number from 1 to 99, not '0'"),
    (["--rounds", "100"], "--rounds needs a number from 1 to 99, not '100'"),
    (["--rounds", "many"], "--rounds needs a number from 1 to 99, not 'many'"),
    (["--only"], "--only needs a value"),
    (["--only", "synced,"], "--only needs some of \(parts), not ''"),
    (["--only", "values"], "--only needs some of \(parts), not 'values'"),
    (["--directory", ""], "--directory needs a value"),
    ([], "--directory is missing"),
    (["--directory", "data"], "--output is missing"),
  ])
  func `a wrong option is named`(arguments: [String], message: String) {
    let error = #expect(throws: UsageError.self) { try Options(arguments) }
    #expect(error?.description == message)
  }
}
