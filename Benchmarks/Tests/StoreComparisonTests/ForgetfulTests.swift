import BenchmarkHarness
import StoreComparison
import Testing

@Suite struct ForgetfulTests {
  @Test func `a store in memory alone takes part, and its opening says that it has forgotten everything`()
    throws
  {
    let folder = try Folder()
    var test = StoreTest(
      [Contender("forgetful", version: "1") { _ in DictionaryStore() }], folder: folder.path)
    test.keyCount = 300
    test.roundCount = 1
    test.secondsMax = 0.01
    let rows = try test.run().groups.flatMap(\.rows)
    #expect(rows[0].samples.count == 1)
    let open = try #require(rows.first { $0.identifier.hasPrefix("own-open-") })
    #expect(open.unsupported == "it has forgotten what it had before it was closed")
  }
}
