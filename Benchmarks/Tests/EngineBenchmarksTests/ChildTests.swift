import BenchmarkHarness
import EngineBenchmarks
import MachineLimits
import Testing

@Suite struct ChildTests {
  @Test(arguments: [
    ChildTask.load(path: "a b", keyCount: 3, valueByteCount: 4),
    ChildTask.openSmall(directory: "/d", storeCount: 5),
  ])
  func `a task is understood from its arguments`(task: ChildTask) {
    #expect(ChildTask(task.arguments) == task)
  }

  @Test(arguments: [
    [], ["--quick"], ["--load", "a", "1"], ["--load", "a", "1", "b"], ["--open-small", "a"],
    ["--open-small", "a", "1", "2"],
  ])
  func `other arguments are no task`(arguments: [String]) {
    #expect(ChildTask(arguments) == nil)
  }

  @Test(arguments: [Options.Part.reopening, .small])
  func `a child that fails ends the run`(part: Options.Part) throws {
    let folder = try Folder()
    let scale = EngineScale(
      keyCount: 100, growthKeyCount: 100, slowRoundCount: 1, overwritingSeconds: 0.02, limits: .quick)
    let benchmarks = EngineBenchmarks(
      scale, directory: folder.path, memoryDirectory: nil, program: "/bin/false")
    let error = #expect(throws: (any Error).self) { try benchmarks.section(part).measured(roundCount: 1) }
    #expect(error.map { "\($0)" } == "a child process failed: ''")
  }
}
