package import SedimentFormat

/// Tells a store that holds on its slots have ended, so that nobody has to look again and again.
///
/// Only ends of watched holds are told (`Readers.watchHolds`), each once. Reading costs nothing for it.
package final class HoldEnds: @unchecked Sendable {
  // Unchecked: `lock` guards the variable, and the others are constants.
  private let domain: ReaderDomain
  private let lock = Lock()
  private let hasChanged: Condition
  private var endedCount: UInt64 = 0
  private let followUp: @Sendable () -> Void

  /// The open stores that ever watched holds.
  private static let registry = Lock(isHeldAcrossForks: true)
  // Under `registry`.
  nonisolated(unsafe) private static var registered: [ReaderDomain: [HoldEnds]] = [:]

  /// `followUp` is called after each end, on the reader's thread: it must not block.
  package init(_ domain: ReaderDomain, then followUp: @escaping @Sendable () -> Void) {
    self.domain = domain
    hasChanged = Condition(of: lock)
    self.followUp = followUp
  }

  /// How many ends were told.
  package var count: UInt64 { lock.withLock { endedCount } }

  /// Who has holds that name some slots.
  package enum Holders {
    case none, onlyThisThread, others
  }

  /// Watches all holds that name a slot of a run: the end of each raises `count`.
  ///
  /// It can only be relied on for ends after the call began, so `count` is asked before.
  package func watch(_ run: SlotRun) -> Holders { watch(UInt64(run.first)..<UInt64(run.end)) }

  /// Watches all holds of the domain.
  package func watchAll() -> Holders { watch(0..<UInt64.max) }

  private func watch(_ slots: Range<UInt64>) -> Holders {
    Self.registry.withLock {
      let isRegistered = unsafe Self.registered[domain]?.contains { $0 === self } ?? false
      if !isRegistered { unsafe Self.registered[domain, default: []].append(self) }
    }
    guard let areOthers = Readers.watchHolds(on: slots, in: domain) else { return .none }
    return areOthers ? .others : .onlyThisThread
  }

  /// Watches nothing from now on.
  package func end() {
    Self.registry.withLock {
      let others = unsafe Self.registered[domain]?.filter { $0 !== self } ?? []
      unsafe Self.registered[domain] = others.isEmpty ? nil : others
    }
  }

  /// Waits until more ends were told than at a time, or until a time of `MonotonicClock`; whether there were.
  package func wait(beyond count: UInt64, until deadline: UInt64) -> Bool {
    lock.withLock {
      while endedCount == count {
        if SchedulePoint.isScheduled {
          hasChanged.wait()
        } else if !hasChanged.wait(until: deadline) {
          return endedCount != count
        }
      }
      return true
    }
  }

  /// Returns once nobody has a hold of the domain.
  ///
  /// Called outside, and when no reader can begin any more.
  package func waitUntilNoneIsHeld() {
    while true {
      let seen = count
      if watchAll() == .none { return }
      lock.withLock {
        while endedCount == seen { hasChanged.wait() }
      }
    }
  }

  /// Tells the stores of a domain that a hold has ended.
  static func wake(_ domain: ReaderDomain) {
    let woken = registry.withLock { unsafe registered[domain] } ?? []
    for ends in woken { ends.noteEnd() }
  }

  private func noteEnd() {
    wakeWaiters()
    followUp()
  }

  /// Ends every wait of `wait(beyond:until:)`: a hold has ended, or the store was closed to changes.
  package func wakeWaiters() {
    lock.withLock {
      endedCount += 1
      hasChanged.broadcast()
    }
  }
}
