internal import CSediment
internal import Synchronization

/// What readers announce to be in: the number of a store.
///
/// Numbers are used again after 65,534 stores. Stores that share one only hold each other's memory longer.
package struct ReaderDomain: Sendable, Hashable {
  fileprivate let number: UInt64

  private static let madeCount = Atomic<UInt64>(0)
  private static let allNumber: UInt64 = 0xFFFF

  fileprivate init(number: UInt64) {
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
/// within one another; each must end on the thread it began on, so no scope spans an `await`.
///
/// A scope holds everything that is unlinked after its beginning, so it must be short: a user's code runs in none.
/// Before it does, `exchangeScope` replaces the scope by a hold on one slot of the file. The proof is in
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

  // MARK: Holds

  /// Replaces the scope that this thread began last by a hold on a slot that was found in it, until `letGo`; nil holds no
  /// slot, and keeps the store's file open all the same.
  @inline(__always)
  package static func exchangeScope(_ domain: ReaderDomain, forHoldOn slot: UInt64?) {
    // Slot 0 is the file's head, which is never freed.
    sediment_reader_exchange(domain.number, slot ?? 0)
    SchedulePoint.reach(.published)
    SchedulePoint.reach(.readerLeft)
  }

  /// Holds a slot that was found in this thread's scope, until `letGo`.
  @inline(__always)
  package static func hold(_ domain: ReaderDomain, _ slot: UInt64?) {
    sediment_reader_hold(domain.number, slot ?? 0)
  }

  /// Ends the hold that this thread began last, and wakes whoever waits for its slot.
  @inline(__always)
  package static func letGo() {
    sediment_reader_let_go()
    SchedulePoint.reach(.readerLeft)
  }

  /// Makes a hold that is no thread's on a slot that was found in this thread's scope; nil holds no slot.
  ///
  /// The hold ends with `unpin`, on any thread and in any order.
  package static func pin(_ domain: ReaderDomain, _ slot: UInt64?) -> Pin {
    unsafe Pin(slot: sediment_reader_pin(domain.number, slot ?? 0))
  }

  /// Ends the hold of a pin.
  package static func unpin(_ pin: Pin) {
    unsafe sediment_reader_unpin(pin.slot)
    SchedulePoint.reach(.readerLeft)
  }

  /// A hold that is no thread's.
  @safe
  package struct Pin: @unchecked Sendable {
    // Sendable: whoever has it only gives it back.
    fileprivate let slot: OpaquePointer
  }

  /// The slots of a domain's file that are held, in ascending order.
  ///
  /// Called after `oldestEpoch`: slots with a tag below its result that are not among these are read by nobody.
  package static func heldSlots(in domain: ReaderDomain) -> [UInt64] {
    var room = 16
    while true {
      var count = 0
      let slots = unsafe [UInt64](unsafeUninitializedCapacity: room) { buffer, filled in
        count = unsafe sediment_reader_holds(domain.number, buffer.baseAddress, buffer.count)
        filled = min(count, buffer.count)
      }
      if count <= slots.count { return slots.sorted() }
      room = 2 * count
    }
  }

  /// Lets `HoldEnds` of the domain be told when a hold ends that names one of these slots; nil if none does.
  ///
  /// The result tells whether other threads have such holds, or pins.
  static func watchHolds(on slots: Range<UInt64>, in domain: ReaderDomain) -> Bool? {
    sediment_reader_wake_by { HoldEnds.wake(ReaderDomain(number: $0)) }
    var others = 0
    let isAny = unsafe sediment_reader_watch(domain.number, slots.lowerBound, slots.upperBound, &others)
    return isAny ? others > 0 : nil
  }

  // MARK: This thread

  /// How many scopes this thread is in.
  package static var depth: Int { Int(sediment_reader_depth()) }

  /// Whether this thread is in a scope of a domain.
  package static func isInside(_ domain: ReaderDomain) -> Bool { sediment_reader_is_inside(domain.number) }

  /// Begins a scope after another one has ended; whether what was found in that one, whose epoch is given, can be used as
  /// if it had not ended.
  @inline(__always)
  static func enterAgain(_ domain: ReaderDomain, since epoch: UInt64) -> Bool {
    enter(domain)
    // Otherwise something was unlinked since, and may be freed already.
    return sediment_reader_epoch_now() == epoch
  }

  /// Begins a scope after another one has ended.
  ///
  /// If both have one epoch, what was found in the first can be used as if it had not ended.
  static func enterAgain(_ domain: ReaderDomain) {
    enter(domain)
    if sediment_reader_epoch_now() == epoch(in: domain) { return }
    // Something was unlinked before the scope was announced, and may be freed already.
    leave()
    enter(domain)
  }

  /// The epoch of this thread's scope of a domain.
  static func epoch(in domain: ReaderDomain) -> UInt64 { sediment_reader_epoch_inside(domain.number) }

  /// Whether this thread has a hold of a domain.
  package static func isHolding(_ domain: ReaderDomain) -> Bool { sediment_reader_is_holding(domain.number) }

  /// Whether this thread is in no scope and has no hold.
  package static var isOutside: Bool { sediment_reader_is_outside() }

  // MARK: Tags

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

  /// Returns once `isPast` is true, which takes no longer than a scope; holds are not waited for.
  ///
  /// Called outside, or a thread might wait for itself.
  package static func waitUntilPast(_ tag: UInt64, in domain: ReaderDomain) {
    precondition(isOutside)
    var pause: UInt64 = 0
    while !isPast(tag, in: domain) {
      // Most leave within a microsecond.
      if pause == 0 { SchedulePoint.yield() } else { SchedulePoint.pause(pause) }
      pause = min(max(2 * pause, 1_000), 1_000_000)
    }
  }

  /// Calls the body as soon as this thread is in no scope and has no hold, which is at once if that is so now.
  package static func whenOutside(_ body: @escaping () -> Void) {
    if isOutside { return body() }
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

  /// How many slots there are: as many as threads read and pins were kept at one time, and a 16th more at most.
  package static var slotCount: Int { sediment_reader_slot_count() }

  /// How many slots were looked at so far for a free one.
  package static var lookedSlotCount: Int { sediment_reader_looked_count() }
}

/// What a thread does once it is outside, with the memory by which it is known until then.
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
