package import Sediment
package import SedimentTesting
internal import Synchronization

/// Threads that use one store in all ways side by side, and note what they saw.
package final class ConcurrentUse: Sendable {
  /// What was done to the registers, and what was seen of them.
  package let history = OperationHistory<Int, Int>()
  let store: SedimentStore
  let collection: SedimentCollection
  private let seed: UInt64
  private let operationCount: Int
  private let userCount: Int
  private let busyCount: Atomic<Int>
  private let failed = Mutex<[String]>([])

  /// Prepares so many threads that each carry out so many operations.
  package init(
    _ store: SedimentStore, userCount: Int, operationCount: Int, seed: UInt64
  ) throws {
    self.store = store
    collection = try store.collection("shared")
    self.userCount = userCount
    self.operationCount = operationCount
    self.seed = seed
    busyCount = Atomic(userCount)
  }

  /// What each of the threads has to do; `copyPath` names a file that is not there, for backups.
  ///
  /// The last ones watch until the others are done.
  package func jobs(copyPath: String) -> [@Sendable () -> Void] {
    let users = (0..<userCount).map { number in
      job { use in
        defer { use.busyCount.subtract(1, ordering: .releasing) }
        var user = ConcurrentUser(use, number: number + 1, seed: use.seed)
        try user.run(use.operationCount)
      }
    }
    return users + [
      job { use in try ConcurrentWatcher(use).iterate() },
      job { use in try ConcurrentWatcher(use).copy(to: copyPath) },
      job { use in try ConcurrentWatcher(use).maintain() },
    ]
  }

  private func job(_ body: @escaping @Sendable (ConcurrentUse) throws -> Void) -> @Sendable () -> Void {
    { [self] in
      do {
        try body(self)
      } catch {
        failed.withLock { $0.append("\(error)") }
      }
    }
  }

  /// Whether threads that change something are at work.
  var isBusy: Bool { busyCount.load(ordering: .acquiring) > 0 }

  func keys(of place: SharedRegisters.Place) -> SedimentCollection {
    place.isOfCollection ? collection : store.defaultCollection
  }

  /// Reads every register of a store once more, and notes it.
  package func readAll(of store: SedimentStore) throws {
    var log = history.log()
    let collection = try store.collection("shared")
    for place in SharedRegisters.allPlaces {
      let begin = log.now()
      let value = try (place.isOfCollection ? collection : store.defaultCollection).retrieve(
        forKey: place.key)
      log.note(.retrieve(try SharedRegisters.number(of: value, place.key)), on: place.register, since: begin)
    }
    history.add(log)
  }

  /// What is wrong with what was seen, once all threads have ended.
  package func complaints() -> [String] {
    let report = LinearizabilityChecker<Int, Int>().check(history.operations)
    return failed.withLock { $0 } + report.violations.map { "not linearizable: \($0)" }
      + report.undecidedKeys.map { "register \($0) is too much to decide" }
  }
}
