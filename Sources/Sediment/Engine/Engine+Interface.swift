internal import SedimentFormat

// What the public interface, parts of which are compiled into its users' programs, asks of the engine.

extension Engine {
  /// What a change survives unless its call says otherwise.
  @usableFromInline var durability: SedimentDurability { options.durability }

  /// An expiry as a record will say it.
  @usableFromInline
  func written(_ expiry: SedimentExpiry) -> WrittenExpiry {
    switch expiry {
    case .never: .at(0)
    case .unchanged: .unchanged
    case .after(let duration): .at(time(after: duration))
    case .at(let milliseconds): .at(min(max(milliseconds, 1), Limits.clockMax))
    }
  }

  @usableFromInline
  func undecodable(_ type: Any.Type) -> SedimentError {
    .undecodable(path, type)
  }

  /// Returns once everything that was appended before is on the disk, without holding a thread meanwhile.
  func synced() async throws(SedimentError) {
    let outcome = Outcome()
    await withCheckedContinuation { continuation in
      whenSynced { failure in
        outcome.set(failure)
        continuation.resume()
      }
    }
    try outcome.get()
  }

  /// Calls a closure, with why that failed if it did, once everything that was appended before is on the disk.
  func whenSynced(_ completion: @escaping @Sendable (SedimentError?) -> Void) {
    do throws(SedimentError) {
      let sequence = try countedSequence()
      if gate.whenSynced(sequence, completion) { syncSoon() }
    } catch {
      completion(error)
    }
  }
}
