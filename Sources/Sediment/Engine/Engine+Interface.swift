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
    try checkReadable()
    let sequence = try lock.withLock { () throws(SedimentError) in
      guard let writer else { throw .readOnly(path) }
      try checkReadable()
      if let poison = writer.poison { throw poison }
      return unsafe writer.tail.pointee.countedSequence
    }
    let outcome = Outcome()
    await withCheckedContinuation { continuation in
      let mustSync = gate.whenSynced(sequence) { failure in
        outcome.set(failure)
        continuation.resume()
      }
      if mustSync { syncSoon() }
    }
    try outcome.get()
  }
}
