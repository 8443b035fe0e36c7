internal import CSediment
internal import Synchronization

/// What readers announce to be in: the number of a store.
///
/// Numbers are used again after 65,534 stores. Stores that share one only hold each other's memory longer.
package struct ReaderDomain: Sendable, Hashable {
  fileprivate let number: UInt64

  private static let madeCount = Atomic<UInt64>(0)
  private static let allNumber: UInt64 = 0xFFFF

  private init(number: UInt64) {
    self.number = number
  }

  /// A domain for another store.
  package static func make() -> ReaderDomain {
    let made = madeCount.wrappingAdd(1, ordering: .relaxed).oldValue
    return ReaderDomain(number: 1 + made % (allNumber - 1))
  }

  /// Every domain at once.
  package static let all = ReaderDomain(number: allNumber)
}

/// The announcements of readers, by which memory that a reader may still follow a pointer to is not freed.
///
/// A thread reads between `enter` and `leave`. Whatever it finds in the structures of a store in that time
/// stays readable until it leaves; neither call locks, allocates (but once a thread) or waits. Scopes may lie
/// within one another; each must end on the thread it began on, so no scope spans an `await`. The proof is in
/// `CSedimentReaders.h`.
package enum Readers {
  /// Begins a scope of this thread, to be ended with `leave`.
  @inline(__always)
  package static func enter(_ domain: ReaderDomain) {
    sediment_reader_enter(domain.number)
  }

  /// Ends the scope that this thread began last; traps if it is in none.
  @inline(__always)
  package static func leave() {
    sediment_reader_leave()
  }

  /// Runs the body in a scope.
  @inline(__always)
  package static func reading<Result: ~Copyable, Failure: Error>(
    _ domain: ReaderDomain, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    enter(domain)
    defer { leave() }
    return try body()
  }

  /// How many scopes this thread is in.
  package static var depth: Int { Int(sediment_reader_depth()) }

  /// The tag of everything that was unlinked before the call; each call returns a higher one.
  package static func advance() -> UInt64 {
    sediment_reader_advance()
  }

  /// What was unlinked before this call and has a tag below the result is held by no reader of the domain.
  ///
  /// It never waits for a reader. It may call the system, so it is asked once for many tags.
  package static func oldestEpoch(in domain: ReaderDomain) -> UInt64 {
    sediment_reader_oldest(domain.number)
  }

  /// Whether no reader of the domain holds anything that was unlinked before `advance` returned the tag.
  package static func isPast(_ tag: UInt64, in domain: ReaderDomain) -> Bool {
    tag < oldestEpoch(in: domain)
  }

  /// How many slots there are: as many as threads ever read at one time.
  package static var slotCount: Int { sediment_reader_slot_count() }
}
