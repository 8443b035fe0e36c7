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
  /// backup hold something of the store: then the background may look for their end again and again, but does not
  /// change the file.
  package func expectRest(on disk: SimulatedDisk, _ scheduler: ManualScheduler, isHeld: Bool = false) throws {
    var passed: UInt64 = 0
    var jobCount = 0
    while !pendingJobs.isEmpty {
      let pause = scheduler.nanosecondsToFirst ?? 0
      passed += pause
      if jobCount == Rest.jobCountMax || passed > Rest.nanosecondsMax {
        if isHeld, !changesFile(disk, scheduler) { break }
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

  /// Whether the next jobs change the file, or sync it.
  private func changesFile(_ disk: SimulatedDisk, _ scheduler: ManualScheduler) -> Bool {
    let callCount = disk.calls.count
    for _ in 0..<Rest.heldJobCount {
      disk.advanceClocks(by: .nanoseconds(scheduler.nanosecondsToFirst ?? 0))
      _ = scheduler.runNext()
    }
    let changing: Set<DiskOperation> = [.write, .allocate, .truncate, .punchHole, .sync]
    return disk.calls[callCount...].contains { changing.contains($0.operation) }
  }

  /// Lets the background work, on threads of its own, until none of its jobs is planned; throws as
  /// `expectRest(on:_:isHeld:)` does.
  package func expectRest(isHeld: Bool = false) throws {
    for _ in 0..<Rest.lookCountMax {
      if pendingJobs.isEmpty || isHeld { break }
      usleep(Rest.lookMicroseconds)
    }
    if !pendingJobs.isEmpty, !isHeld {
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
  /// Jobs that are watched where something is held.
  static let heldJobCount = 20
  /// How often, and after what time each, a store with threads of its own is asked.
  static let lookCountMax = 2_000
  static let lookMicroseconds: UInt32 = 5_000
}
