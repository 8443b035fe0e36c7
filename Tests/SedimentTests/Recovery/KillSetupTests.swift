import CrashModel
import Sediment
import SedimentDisk
import Testing

/// What the processes of the crash suite are told by their arguments.
struct KillSetupTests {
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
}
