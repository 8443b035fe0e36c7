internal import Foundation

#if canImport(Darwin)
  internal import Darwin
#else
  internal import Glibc
#endif

/// Lets threads share syncs of one file: of those that wait, one calls `fdatasync` for all that have written.
///
/// Unchecked: all the variables are used only between `lock` and `unlock` of the condition.
final class GroupCommit: @unchecked Sendable {
  private let file: ScratchFile
  private let condition = NSCondition()
  private var writtenCount = 0
  private var syncedCount = 0
  private var isSyncing = false
  private var failure: (any Error)?

  init(_ file: ScratchFile) {
    self.file = file
  }

  /// Returns when a sync has ended that began after this call did, hence after the caller's writes.
  ///
  /// After a failed sync every call throws its error.
  func waitUntilDurable() throws {
    condition.lock()
    defer { condition.unlock() }
    writtenCount += 1
    let ticket = writtenCount
    while syncedCount < ticket {
      if let failure { throw failure }
      if isSyncing {
        condition.wait()
      } else {
        lead()
      }
    }
  }

  /// Syncs for all that have a ticket; the lock is open meanwhile, so that others can write and queue up.
  ///
  /// Before it counts the tickets it steps aside once. The leader is the first to wake up after a sync: without that
  /// every other sync would be for itself alone.
  private func lead() {
    isSyncing = true
    condition.unlock()
    sched_yield()
    condition.lock()
    let covered = writtenCount
    condition.unlock()
    let result = Result { try file.syncData() }
    condition.lock()
    isSyncing = false
    switch result {
    case .success: syncedCount = covered
    case .failure(let error): failure = error
    }
    condition.broadcast()
  }
}
