import Foundation
import Sediment
import SedimentTesting
import Synchronization
import Vellum

/// Gives the shared factory a store in memory, once for all tests; only those of this module use that factory.
enum SharedArchives {
  static let failures = FailureList()

  static let isReady: Bool = {
    do {
      let store = try SedimentStore(
        path: "data/archives", disk: SimulatedDisk(seed: 1), background: ManualBackground())
      ArchivesFactory.shared = ArchivesFactory(store: store)
      ArchivesFactory.shared.observer = { failures.add($0) }
      return true
    } catch {
      return false
    }
  }()
}

/// What an observer was told.
final class FailureList: Sendable {
  private let failures = Mutex<[VellumFailure]>([])

  func add(_ failure: VellumFailure) { failures.withLock { $0.append(failure) } }

  func of(_ name: String) -> [VellumFailure] {
    failures.withLock { $0.filter { $0.archiveName == name } }
  }
}
