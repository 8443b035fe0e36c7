import Foundation
public import Sediment
import Synchronization

/// A keyspace that is looked up at the first call, and at the next one again if that fails.
@safe @usableFromInline
final class KeyspaceSource: Sendable {
  /// A keyspace, and the shared store that has to live as long as it is used.
  private final class Opened: Sendable {
    let keyspace: SedimentCollection
    let owner: SharedStore?

    init(_ keyspace: SedimentCollection, _ owner: SharedStore?) {
      self.keyspace = keyspace
      self.owner = owner
    }
  }

  /// What is known before calls find the keyspace by themselves.
  private struct Opening {
    var opened: Opened?
    /// The calls that came before, and have not been made yet: later ones come after them.
    var callCount = 0
  }

  // In here, so that a copy of a storage counts one reference alone.
  let storageName: String
  /// Whose keys they are; nil where there can be no file.
  let place: Place?

  struct Place: Sendable {
    /// The disk of a store that is open already; nil for the system's.
    var disk: (any Sendable)?
    let file: URL
    let collection: String?
  }

  /// Set once and kept until this ends, so that a reader need not retain it; not an `AtomicLazyReference`, which looks
  /// its type up at each load.
  private let published = unsafe Atomic<Unmanaged<Opened>?>(nil)
  private let opening = Mutex(Opening())
  private let open: @Sendable () throws -> (SedimentCollection, SharedStore?)
  /// Where files are opened, with all the calls that come before that has been done; nil for a store that is open.
  private let queue: SerialQueue?

  /// Creates a source of a keyspace; that of a file is opened on another thread than the caller's.
  init(
    storageName: String, _ place: Place?, ofFile: Bool,
    open: @escaping @Sendable () throws -> (SedimentCollection, SharedStore?)
  ) {
    self.storageName = storageName
    self.place = place
    self.open = open
    queue = ofFile ? SerialQueue() : nil
  }

  deinit {
    unsafe published.load(ordering: .acquiring)?.release()
  }

  /// The keyspace, nil if it has not been looked up.
  @usableFromInline
  var keyspace: SedimentCollection? {
    guard let opened = unsafe published.load(ordering: .acquiring) else { return nil }
    return unsafe opened._withUnsafeGuaranteedRef { $0.keyspace }
  }

  /// Calls a closure with the keyspace, whose references need not be counted then; nil if it has not been looked up.
  @inline(__always)
  func withKeyspace<Result>(_ body: (SedimentCollection) throws -> Result) rethrows -> Result? {
    guard let opened = unsafe published.load(ordering: .acquiring) else { return nil }
    return unsafe try opened._withUnsafeGuaranteedRef { try body($0.keyspace) }
  }

  /// An expiry that means the same however long it waits for a file to be opened.
  func countedFromNow(_ expiry: StorageExpiry) -> StorageExpiry {
    queue != nil && keyspace == nil ? expiry.absolute : expiry
  }

  /// What a call answers that may be the first one.
  @usableFromInline
  func opening<Value>(
    _ call: @escaping (SedimentCollection) -> StorageAnswer<Value>
  ) -> StorageAnswer<Value> {
    guard let queue else { return answer(call) }
    return .pending { completion in
      let isFirst = self.opening.withLock { opening in
        opening.callCount += 1
        return opening.callCount == 1
      }
      // A thread that waits for it may as well do it.
      if isFirst, CallingThread.caller == .waits { return self.answer(call).deliver(to: completion) }
      // The last of who uses the file may be waiting for the completion: then nobody here has it any more.
      let job = UncheckedBox<(() -> StorageAnswer<Value>)?>({ self.answer(call) })
      queue.run { Self.take(job).deliver(to: completion) }
    }
  }

  private static func take<Value>(
    _ job: UncheckedBox<(() -> StorageAnswer<Value>)?>
  ) -> StorageAnswer<Value> {
    exchange(&job.value, for: nil)?() ?? .failure(StorageError.missing)
  }

  private func answer<Value>(
    _ call: (SedimentCollection) -> StorageAnswer<Value>
  ) -> StorageAnswer<Value> {
    let answer: StorageAnswer<Value>
    do { answer = call(try opened().keyspace) } catch { answer = .failure(error) }
    opening.withLock { opening in
      opening.callCount = max(opening.callCount - 1, 0)
      guard opening.callCount == 0, let opened = opening.opened else { return }
      let (isFirst, _) = unsafe published.compareExchange(
        expected: nil, desired: Unmanaged.passUnretained(opened), ordering: .acquiringAndReleasing)
      if isFirst { unsafe _ = Unmanaged.passRetained(opened) }
    }
    return answer
  }

  private func opened() throws -> Opened {
    if let opened = opening.withLock({ $0.opened }) { return opened }
    let (keyspace, owner) = try open()
    let new = Opened(keyspace, owner)
    // Several may look a store's up at once: they get the same, of which one is kept.
    return opening.withLock { opening in
      let opened = opening.opened ?? new
      opening.opened = opened
      return opened
    }
  }

  /// An error of a call, as one that says why if the file was removed.
  @usableFromInline
  func explained(_ error: any Error) -> any Error {
    opening.withLock({ $0.opened?.owner })?.explained(error) ?? error
  }
}
