import BenchmarkHarness
import Testing

@Suite struct OptionsTests {
  private let folders = ["--directory", "data", "--output", "results"]

  @Test func `a full run takes seven rounds`() throws {
    let options = try Options(folders)
    #expect(!options.isQuick)
    #expect(options.roundCount == 7)
    #expect(options.directory == "data")
    #expect(options.output == "results")
  }

  @Test func `a quick run takes three rounds`() throws {
    let options = try Options(["--quick"] + folders)
    #expect(options.isQuick)
    #expect(options.roundCount == 3)
  }

  @Test func `the number of rounds can be chosen, before or after quick`() throws {
    #expect(try Options(["--rounds", "5", "--quick"] + folders).roundCount == 5)
    #expect(try Options(["--quick", "--rounds", "99"] + folders).roundCount == 99)
  }

  @Test(arguments: [
    (["--fast"], "unknown option '--fast'"),
    (["--rounds"], "--rounds needs a value"),
    (["--rounds", "0"], "--rounds needs a number from 1 to 99, not '0'"),
    (["--rounds", "100"], "--rounds needs a number from 1 to 99, not '100'"),
    (["--rounds", "many"], "--rounds needs a number from 1 to 99, not 'many'"),
    (["--directory", ""], "--directory needs a value"),
    ([], "--directory is missing"),
    (["--directory", "data"], "--output is missing"),
  ])
  func `a wrong option is named`(arguments: [String], message: String) {
    let error = #expect(throws: UsageError.self) { try Options(arguments) }
    #expect(error?.description == message)
  }
}
