import CrashModel
import Testing

/// Real processes on the real disk, killed again and again on one store; the crash suite kills more of them.
@Suite(.serialized) struct CrashKillTests {
  @Test(arguments: KillSetup.Style.allCases, [1, 4])
  func `However often the process is killed, nothing that it acknowledged is lost`(
    _ style: KillSetup.Style, _ threadCount: Int
  ) throws {
    var trial = KillTrial(seed: UInt64(threadCount) * 1000, killCount: CrashEffort.of(25, long: 300))
    trial.style = style
    trial.threadCount = threadCount
    let outcome = try trial.run()
    for finding in outcome.findings { Issue.record("\(finding)") }
    #expect(!outcome.stopCounts.isEmpty)
  }

  @Test(arguments: KillSetup.Style.allCases)
  func `Nothing is lost by deaths before, within and behind stores through the mapping`(
    _ style: KillSetup.Style
  ) throws {
    var trial = KillTrial(seed: 3000, killCount: CrashEffort.of(24, long: 300))
    trial.style = style
    trial.stopKind = .store
    let outcome = try trial.run()
    for finding in outcome.findings { Issue.record("\(finding)") }
    #expect(outcome.stopCounts == [.store: outcome.killCount])
  }

  @Test func `Nothing is lost on a real disk, where syncs take their time`() throws {
    var trial = KillTrial(seed: 2000, killCount: CrashEffort.of(30, long: 200))
    trial.threadCount = 2
    trial.isOnDisk = true
    for finding in try trial.run().findings { Issue.record("\(finding)") }
  }
}
