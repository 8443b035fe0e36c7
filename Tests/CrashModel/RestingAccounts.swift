internal import Foundation
package import Sediment
internal import SedimentTesting

extension SedimentStore {
  /// Throws if a slot belongs to nobody or to two, or a count is not what is counted anew, though nobody uses the store.
  ///
  /// The background may be at work on threads of its own: it is given some time to come to rest.
  package func expectAccounts() throws {
    var findings = accountFindings()
    for _ in 0..<1000 where !findings.isEmpty {
      usleep(5_000)
      findings = accountFindings()
    }
    if !findings.isEmpty { throw CrashContradiction(description: "the accounts: \(findings)") }
  }
}
