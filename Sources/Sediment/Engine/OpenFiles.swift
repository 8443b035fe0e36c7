internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// The files that stores of this process have open for writing, so that a second opening is told from another
/// process's.
enum OpenFiles {
  private static let lock = Lock.heldAcrossForks()
  nonisolated(unsafe) private static var identifiers: Set<FileIdentifier> = []

  /// The right to a file, until it is given back or dropped.
  final class Ticket: Sendable {
    private let identifier: FileIdentifier
    private let isGivenBack = Atomic<Bool>(false)

    fileprivate init(_ identifier: FileIdentifier) {
      self.identifier = identifier
    }

    deinit {
      giveBack()
    }

    func giveBack() {
      // Once: after that it may be another's.
      if isGivenBack.exchange(true, ordering: .relaxed) { return }
      _ = OpenFiles.lock.withLock { unsafe OpenFiles.identifiers.remove(identifier) }
    }
  }

  /// Takes the right to a file; nil if this process has it already.
  static func take(_ identifier: FileIdentifier) -> Ticket? {
    let isNew = lock.withLock { unsafe identifiers.insert(identifier).inserted }
    return isNew ? Ticket(identifier) : nil
  }

  /// Whether this process has the file open for writing.
  static func contains(_ identifier: FileIdentifier) -> Bool {
    lock.withLock { unsafe identifiers.contains(identifier) }
  }
}
