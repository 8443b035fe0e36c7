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
    SchedulePoint.reach(.readerEnters)
    sediment_reader_enter(domain.number)
  }

  /// Ends the scope that this thread began last; traps if it is in none.
  @inline(__always)
  package static func leave() {
    sediment_reader_leave()
    SchedulePoint.reach(.readerLeft)
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

  /// Begins a scope that is no thread's, for what `find` finds: nil, and no scope, if that is nothing.
  ///
  /// The scope ends with `unpin`, on any thread and in any order.
  package static func pin<Result, Failure: Error>(
    _ domain: ReaderDomain, _ find: (Pin) throws(Failure) -> Result?
  ) throws(Failure) -> Result? {
    let pin = unsafe Pin(slot: sediment_reader_pin(domain.number))
    do throws(Failure) {
      if let result = try find(pin) { return result }
    } catch {
      unpin(pin)
      throw error
    }
    unpin(pin)
    return nil
  }

  /// Ends the scope of a pin.
  package static func unpin(_ pin: Pin) {
    unsafe sediment_reader_unpin(pin.slot)
  }

  /// A scope that is no thread's.
  @safe
  package struct Pin: @unchecked Sendable {
    // Sendable: whoever has it only gives it back.
    fileprivate let slot: OpaquePointer
  }

  /// How many scopes this thread is in.
  package static var depth: Int { Int(sediment_reader_depth()) }

  /// Whether this thread is in a scope of a domain.
  package static func isInside(_ domain: ReaderDomain) -> Bool { sediment_reader_is_inside(domain.number) }

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

  /// Returns once `isPast` is true; a reader that stays is waited for as long as it stays.
  ///
  /// Called in no scope, or a thread might wait for itself.
  package static func waitUntilPast(_ tag: UInt64, in domain: ReaderDomain) {
    precondition(depth == 0)
    var pause: UInt64 = 0
    while !isPast(tag, in: domain) {
      // Most leave within a microsecond.
      if pause == 0 { SchedulePoint.yield() } else { SchedulePoint.pause(pause) }
      pause = min(max(2 * pause, 1_000), 1_000_000)
    }
  }

  /// Calls the body as soon as this thread is in no scope, which is at once if it is in none.
  package static func whenOutside(_ body: @escaping () -> Void) {
    if depth == 0 { return body() }
    let box = Departure(body)
    unsafe box.departure.initialize(
      to: sediment_departure(
        body: { context in
          guard let context = unsafe context else { return }
          // The pointer is the one made below, and this call alone takes the reference it stands for.
          unsafe Unmanaged<Departure>.fromOpaque(context).takeRetainedValue().body()
        }, context: Unmanaged.passRetained(box).toOpaque(), next: nil))
    unsafe sediment_reader_depart(box.departure)
  }

  /// How many slots there are: as many as threads ever read at one time.
  package static var slotCount: Int { sediment_reader_slot_count() }
}

/// What a thread does when it has left its last scope, with the memory by which it is known until then.
@safe
private final class Departure {
  let body: () -> Void
  let departure = UnsafeMutablePointer<sediment_departure>.allocate(capacity: 1)

  init(_ body: @escaping () -> Void) {
    self.body = body
  }

  deinit {
    unsafe departure.deallocate()
  }
}
