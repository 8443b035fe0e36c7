internal import Synchronization

extension SedimentStore {
  /// Makes a copy of the store in another file, as it is at one moment of the call, while others go on writing.
  ///
  /// The copy is a store of its own, whole and on the disk when the call returns. There must be no file of that name
  /// yet. If it fails or the closure returns `stop`, nothing is left behind, and this store is as well as before.
  public func backup(
    to path: String, progress: ((SedimentProgress) -> SedimentIteration)? = nil
  ) throws {
    try engine.backUp(to: path, progress)
  }

  /// Makes a copy of the store in another file without holding a thread of the caller's meanwhile.
  ///
  /// If the task is cancelled, it fails with `cancelled` and leaves nothing behind. The closure is called on a thread
  /// of the copying.
  public func backup(
    to path: String, progress: (@Sendable (SedimentProgress) -> SedimentIteration)? = nil
  ) async throws {
    let engine = engine
    try await onThread { isCancelled throws(SedimentError) in
      try engine.backUp(to: path) { state in
        isCancelled() ? .stop : progress?(state) ?? .continue
      }
    }
  }
}

/// Runs `body` on a thread of its own; it is to end soon once the closure it is given says that the task was
/// cancelled.
func onThread(
  _ body: @escaping @Sendable (@escaping @Sendable () -> Bool) throws(SedimentError) -> Void
) async throws {
  final class Flag: Sendable {
    let isSet = Atomic<Bool>(false)
  }
  let flag = Flag()
  let outcome = Outcome()
  await withTaskCancellationHandler {
    await withCheckedContinuation { continuation in
      let work: @Sendable () -> Void = {
        do throws(SedimentError) {
          try body { flag.isSet.load(ordering: .relaxed) }
        } catch {
          outcome.set(error)
        }
        continuation.resume()
      }
      if !startThread(work) { work() }
    }
  } onCancel: {
    flag.isSet.store(true, ordering: .relaxed)
  }
  try outcome.get()
}

extension SedimentStore {
  /// How many segments a backup keeps from being used again.
  package var pinnedGenerationCount: Int {
    engine.writer?.withLock { writer in writer.pinned.count } ?? 0
  }
}
