internal import Foundation
package import Sediment
internal import SedimentDisk
package import SedimentTesting

// What is asked of a store that nobody uses: that it comes to rest, with everything done (DESIGN.md 12, "Rest").

extension SedimentStore {
  /// Lets the background work until none of its jobs is planned, and throws if that takes too long, or if something is
  /// left undone.
  ///
  /// The clocks of the disk and of the background advance together, to each job's time. With `isHeld`, readers, pins or a
  /// backup hold slots of the store: these may stay unreclaimed, and the background rests all the same until a hold ends.
  package func expectRest(on disk: SimulatedDisk, _ scheduler: ManualScheduler, isHeld: Bool = false) throws {
    var passed: UInt64 = 0
    var jobCount = 0
    while !pendingJobs.isEmpty {
      let pause = scheduler.nanosecondsToFirst ?? 0
      passed += pause
      if jobCount == Rest.jobCountMax || passed > Rest.nanosecondsMax {
        throw CrashContradiction(
          description: "no rest after \(jobCount) jobs and \(passed / 1_000_000) ms: \(pendingJobs)")
      }
      disk.advanceClocks(by: .nanoseconds(pause))
      guard scheduler.runNext() else {
        throw CrashContradiction(description: "jobs are pending that nobody runs: \(pendingJobs)")
      }
      jobCount += 1
    }
    let findings = restFindings(isHeld: isHeld)
    if !findings.isEmpty { throw CrashContradiction(description: "at rest: \(findings)") }
  }

  /// Lets the background work, on threads of its own, until none of its jobs is planned; throws as
  /// `expectRest(on:_:isHeld:)` does.
  package func expectRest(isHeld: Bool = false) throws {
    for _ in 0..<Rest.lookCountMax {
      if pendingJobs.isEmpty { break }
      usleep(Rest.lookMicroseconds)
    }
    if !pendingJobs.isEmpty {
      throw CrashContradiction(description: "no rest after ten seconds: \(pendingJobs)")
    }
    let findings = restFindings(isHeld: isHeld)
    if !findings.isEmpty { throw CrashContradiction(description: "at rest: \(findings)") }
  }
}

/// How long a store of the layers may take to come to rest.
private enum Rest {
  /// Jobs that may run, of which each does a bounded part of the work.
  static let jobCountMax = 400
  /// Simulated time that may pass.
  static let nanosecondsMax: UInt64 = 20_000_000_000
  /// How often, and after what time each, a store with threads of its own is asked.
  static let lookCountMax = 2_000
  static let lookMicroseconds: UInt32 = 5_000
}
