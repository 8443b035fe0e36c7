/// What happened to a disk so far, and so every moment at which it may crash.
///
/// A crash point is a number of events: the crash comes right after so many of them, and before the next.
/// To go through all of them, iterate: that takes time in proportion to the history's length, while
/// `state(at:)` begins at its beginning each time.
public struct CrashHistory: Sequence, Sendable {
  private let journal: Journal
  private let setup: ImageSetup

  init(journal: Journal, setup: ImageSetup) {
    self.journal = journal
    self.setup = setup
  }

  /// How many crash points there are: one before each event, and one at the end.
  public var pointCount: Int {
    journal.events.count + 1
  }

  /// The disk as it was after so many events.
  public func state(at point: Int) -> CrashState {
    precondition((0..<pointCount).contains(point), "the history has no such point")
    var medium = journal.base
    for event in journal.events[..<point] {
      medium.apply(event, bytes: journal.bytes, granule: setup.options.storeGranuleByteCount)
    }
    return CrashState(point: point, medium: medium, setup: setup)
  }

  /// The disk as it was when so many bytes of the write or store after a crash point had been copied.
  ///
  /// A process that dies there leaves these bytes in the page cache, and its successor finds them. What a power
  /// failure leaves of a write that was not complete is among the images of the next point already.
  public func state(at point: Int, interruptedAfter byteCount: Int) -> CrashState {
    precondition(interruptionRange(at: point).contains(byteCount), "nothing is copied there")
    var medium = state(at: point).medium
    medium.apply(
      journal.events[point].prefix(byteCount), bytes: journal.bytes,
      granule: setup.options.storeGranuleByteCount)
    return CrashState(point: point, medium: medium, setup: setup)
  }

  /// After how many bytes the event that follows a crash point can be interrupted; empty if it copies nothing.
  public func interruptionRange(at point: Int) -> Range<Int> {
    guard journal.events.indices.contains(point) else { return 0..<0 }
    switch journal.events[point] {
    case .write(_, _, let bytes, _), .store(_, _, let bytes): return 1..<Swift.max(1, bytes.count)
    default: return 0..<0
    }
  }

  /// The event that follows the crash point, in words; nil at the end.
  public func eventDescription(at point: Int) -> String? {
    journal.events.indices.contains(point) ? journal.events[point].description : nil
  }

  /// Goes through the crash points in order.
  public func makeIterator() -> Iterator {
    Iterator(journal: journal, setup: setup)
  }

  /// Walks along a history, one event a step.
  public struct Iterator: IteratorProtocol {
    private let journal: Journal
    private let setup: ImageSetup
    private var medium: Medium
    private var point = 0

    init(journal: Journal, setup: ImageSetup) {
      self.journal = journal
      self.setup = setup
      medium = journal.base
    }

    /// The state at the next crash point.
    public mutating func next() -> CrashState? {
      guard point <= journal.events.count else { return nil }
      if point > 0 {
        medium.apply(
          journal.events[point - 1], bytes: journal.bytes, granule: setup.options.storeGranuleByteCount)
      }
      defer { point += 1 }
      return CrashState(point: point, medium: medium, setup: setup)
    }
  }
}
