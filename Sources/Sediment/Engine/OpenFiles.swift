internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

/// The files that this process has open, by which a second opening is refused even where the file system locks nothing,
/// and is told from another process's.
///
/// A child after a fork begins with none: what its parent has open it has not.
enum OpenFiles {
  /// What a file is used for.
  struct Uses {
    fileprivate(set) var isWritten = false
    fileprivate(set) var readerCount = 0
    /// How many of these are being closed, and wait for those who read.
    fileprivate(set) var closingCount = 0
  }

  private static let lock = Lock(isHeldAcrossForks: true)
  // Under `lock`.
  nonisolated(unsafe) private static var uses: [FileIdentifier: Uses] = [:]
  nonisolated(unsafe) private static var forkCount = Forks.count

  /// The right to a file, until it is given back or dropped.
  final class Ticket: Sendable {
    private let identifier: FileIdentifier
    private let isReader: Bool
    private let forkCount = Forks.count
    private let isClosing = Atomic<Bool>(false)
    private let isGivenBack = Atomic<Bool>(false)

    fileprivate init(_ identifier: FileIdentifier, isReader: Bool) {
      self.identifier = identifier
      self.isReader = isReader
    }

    deinit {
      giveBack()
    }

    /// From now on whoever is refused is told that the file is being closed.
    func noteClosing() {
      if isClosing.exchange(true, ordering: .relaxed) { return }
      change { $0.closingCount += 1 }
    }

    func giveBack() {
      // Once: after that it may be another's.
      if isGivenBack.exchange(true, ordering: .relaxed) { return }
      change { uses in
        if isClosing.load(ordering: .relaxed) { uses.closingCount -= 1 }
        if isReader { uses.readerCount -= 1 } else { uses.isWritten = false }
      }
    }

    private func change(_ body: (inout Uses) -> Void) {
      // It was the parent's.
      if forkCount != Forks.count { return }
      OpenFiles.withUses(of: identifier, body)
    }
  }

  /// Takes the right to a file for one writer or any number of readers; nil if this process has it already.
  static func take(_ identifier: FileIdentifier, forReading isReader: Bool) -> Ticket? {
    withUses(of: identifier) { uses in
      if uses.isWritten || !isReader && uses.readerCount > 0 { return nil }
      if isReader { uses.readerCount += 1 } else { uses.isWritten = true }
      return Ticket(identifier, isReader: isReader)
    }
  }

  /// What this process uses a file for; nil if it has not opened it.
  static func uses(of identifier: FileIdentifier) -> Uses? {
    let uses = withUses(of: identifier) { $0 }
    return uses.isWritten || uses.readerCount > 0 ? uses : nil
  }

  private static func withUses<Result>(of identifier: FileIdentifier, _ body: (inout Uses) -> Result)
    -> Result
  {
    lock.withLock {
      if unsafe forkCount != Forks.count {
        unsafe forkCount = Forks.count
        unsafe uses = [:]
      }
      var found = unsafe uses[identifier] ?? Uses()
      defer { unsafe uses[identifier] = found.isWritten || found.readerCount > 0 ? found : nil }
      return body(&found)
    }
  }
}
