internal import Synchronization

extension SedimentStore {
  /// Copies the store, as it is at one moment of the call, to a new file, while others go on writing.
  ///
  /// The copy is a store, and is on the disk when the call returns. Bytes are copied as they are: a damaged store has a
  /// damaged copy, so verify the copy before an older one goes. There must be no file at the path yet, be it a link, and
  /// its directory must be there. If the call throws, as it does with `cancelled` after the closure returned `stop`, no
  /// file is left behind. The store is synced at the end: a device that did not take what was copied fails both.
  ///
  /// So the copy also has the bytes of values that were replaced, removed or have expired, as far as compaction has not
  /// won their space back; `backupLiveRecords(to:progress:)` copies none of these.
  public func backup(
    to path: String, progress: ((SedimentProgress) -> SedimentIteration)? = nil
  ) throws {
    try Backup(log: engine.log).run(to: path, progress)
  }

  /// Copies the store to a new file without holding a thread of the caller's meanwhile.
  ///
  /// If the task is cancelled, it throws `cancelled` and leaves no file behind. The closure is called on the thread
  /// that copies.
  public func backup(
    to path: String, progress: (@Sendable (SedimentProgress) -> SedimentIteration)? = nil
  ) async throws {
    let engine = engine
    try await onThread { isCancelled throws(SedimentError) in
      try Backup(log: engine.log).run(to: path) { state in
        isCancelled() ? .stop : progress?(state) ?? .continue
      }
    }
  }
}

extension SedimentStore {
  /// Copies the live records of the store, as they are at one moment of the call, to a new file, while others go on
  /// writing.
  ///
  /// The copy is the store after one change: each key with the value and expiry that it has then, and each collection. It
  /// has nothing of values that were replaced or removed before, of keys that were removed, or of what has expired by the
  /// wall clock. It takes longer than `backup(to:progress:)`, since each record is read and set anew, and memory for each
  /// key: about 100 bytes. A record that is damaged ends it with `damaged`. There must be no file at the path yet, be it
  /// a link, and its directory must be there. If the call throws, as it does with `cancelled` after the closure returned
  /// `stop`, no file is left behind.
  public func backupLiveRecords(
    to path: String, progress: ((SedimentProgress) -> SedimentIteration)? = nil
  ) throws {
    try LiveBackup(log: engine.log).run(to: path, progress)
  }
}

/// Runs `body` on a thread of its own.
///
/// Its argument says whether the task was cancelled, so that it ends soon then.
func onThread(
  _ body: @escaping @Sendable (@escaping @Sendable () -> Bool) throws(SedimentError) -> Void
) async throws {
  final class Flag: Sendable {
    let isSet = Atomic<Bool>(false)
  }
  let flag = Flag()
  // A continuation hands it over as well; but the thread sanitizer cannot see that in every library, and sees a lock.
  let outcome = Locked<SedimentError?>(.leaf, nil)
  await withTaskCancellationHandler {
    await withCheckedContinuation { continuation in
      let work: @Sendable () -> Void = {
        do throws(SedimentError) {
          try body { flag.isSet.load(ordering: .relaxed) }
        } catch {
          outcome.withLock { outcome in outcome = error }
        }
        continuation.resume()
      }
      if !startThread(work) { work() }
    }
  } onCancel: {
    flag.isSet.store(true, ordering: .relaxed)
  }
  if let failure = outcome.withLock({ outcome in outcome }) { throw failure }
}
