import CrashModel
import Sediment
import SedimentDisk
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

  @Test func `A process is told all that it is to do, and refuses what it does not understand`() throws {
    var setup = KillSetup(seed: 7, firstNumbers: [1, 20])
    setup.access = .unmapped
    setup.style = .evicting
    #expect(KillSetup(setup.arguments[...])?.stop == nil)
    let kinds: [KillSetup.Stop.Kind] = [.store, .call(.syncDirectory), .call(.allocate), .call(.write)]
    for kind in kinds {
      for moment in KillSetup.Stop.Moment.allCases {
        setup.stop = KillSetup.Stop(kind, 9, moment)
        let arguments = setup.arguments
        let found = try #require(KillSetup(arguments[...]))
        #expect(found.arguments == arguments)
        #expect(found.stop?.kind == kind && found.stop?.moment == moment && found.stop?.count == 9)
        for place in arguments.indices {
          var wrong = arguments
          wrong[place] += "?"
          #expect(KillSetup(wrong[...]) == nil)
        }
      }
    }
  }

  @Test func `Nothing is lost on a real disk, where syncs take their time`() throws {
    var trial = KillTrial(seed: 2000, killCount: CrashEffort.of(30, long: 200))
    trial.threadCount = 2
    trial.isOnDisk = true
    for finding in try trial.run().findings { Issue.record("\(finding)") }
  }
}
