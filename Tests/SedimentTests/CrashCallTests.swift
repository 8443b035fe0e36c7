import CrashModel
import Sediment
import SedimentTesting
import Testing

/// Calls to the disk go wrong in every way that they can: what is thrown is a store's error, and nothing that was
/// acknowledged is lost.
///
/// The crash suite lets every call of these and of further scripts go wrong.
@Suite struct CrashCallTests {
  /// One of so many failures is tried, of each kind and at each call some.
  static let sparseness = CrashEffort.isLong ? 1 : CrashEffort.isSanitized ? 57 : 19

  @Test(arguments: CrashPowerLossTests.accesses)
  func `Whichever call fails from creation to close, nothing acknowledged is lost`(
    _ access: SedimentOptions.Access
  ) throws {
    try failEachCall(of: .creation(access))
  }

  @Test(arguments: CrashPowerLossTests.accesses)
  func `Whichever call fails in a recovery and after it, nothing acknowledged is lost`(
    _ access: SedimentOptions.Access
  ) throws {
    try failEachCall(of: .recovery(access))
  }

  /// Carries the operations out again and again, each time with another call that fails.
  private func failEachCall(of script: CallScript) throws {
    let calls = try script.calls()
    var count = 0
    for (call, operation) in calls.enumerated() {
      for (number, fault) in CallFault.all.enumerated()
      where fault.applies(to: operation) && (call + number) % Self.sparseness == 0 {
        count += 1
        for finding in try CallTrial.run(script, call: call, fault) { Issue.record("\(finding)") }
      }
    }
    CrashEffort.note("\(script): \(count) failures of \(calls.count) calls")
  }
}
