import SedimentDisk
import SedimentSupport
import SedimentTesting
import Synchronization

/// A simulated disk whose syncs a test lets through one by one.
final class HeldSyncDisk: ForwardingDisk, @unchecked Sendable {
  let gate = Gate()

  /// Counts the syncs that have come, and lets go those that may.
  final class Gate: Sendable {
    let arrived = Counter()
    let released = Counter()
    private let isHolding = Atomic(false)

    /// From now on syncs wait to be let through.
    func hold() { isHolding.store(true, ordering: .releasing) }

    func pass() {
      guard isHolding.load(ordering: .acquiring) else { return }
      arrived.add()
      released.wait(for: arrived.value)
    }
  }

  override func file(_ file: any DiskFile) -> any DiskFile { HeldSyncFile(file, gate) }
}

/// A file of such a disk.
private final class HeldSyncFile: ForwardingFile, @unchecked Sendable {
  private let gate: HeldSyncDisk.Gate

  init(_ inner: any DiskFile, _ gate: HeldSyncDisk.Gate) {
    self.gate = gate
    super.init(inner)
  }

  override func sync() throws(DiskError) {
    gate.pass()
    try inner.sync()
  }
}
