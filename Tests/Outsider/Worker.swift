import Sediment

/// A thread's part in a case: keys of its own, what it knows of them, and what it does by chance.
final class Worker: @unchecked Sendable {
  // Sendable: only one thread at a time uses it.
  let thread: Int
  var dice: Dice
  var model = Model()
  var session: Session
  /// The collections that it has handles of.
  private var handles: [String: SedimentCollection] = [:]
  private var nextNumber: UInt32 = 0
  private var stampCount: UInt64
  /// What all of its changes hold in the account.
  private var accounted = 0
  var buffer: [UInt8] = []
  var secondBuffer: [UInt8] = []
  /// What it changed since the store last held more than before.
  private var steady = (count: 0, weightMost: 0, growthCount: 0)

  /// What it knew when a backup was about to begin, and what it has changed since.
  private(set) var snapshot: Model?
  private(set) var log: [(changes: [Change], begin: UInt64, end: UInt64)] = []

  /// `life` tells processes apart in which the same thread writes.
  init(thread: Int, seed: UInt64, life: UInt64, _ session: Session) {
    self.thread = thread
    self.session = session
    dice = Dice(seed: seed &* 31 &+ UInt64(thread) &+ life << 32)
    stampCount = life << 40 | UInt64(thread) << 56
  }

  var findings: Findings { session.findings }
  var evicts: Bool { session.settings.evicts }

  /// Goes on with another opening of the store.
  func move(to session: Session) {
    self.session = session
    handles = [:]
  }

  /// Says anew what it holds.
  func account(adding byteCount: Int = 0) {
    let held = model.weight + byteCount
    session.account.add(held - accounted)
    accounted = held
  }

  func beginRecording() {
    snapshot = model
    log = []
  }

  func endRecording() {
    snapshot = nil
    log = []
  }

  // MARK: Names

  /// The names of the keyspaces that it uses where there may be so many collections.
  func space(of count: Int) -> String {
    let number = dice.number(below: count + 1)
    return number == 0 ? "" : "thread \(thread), \(number)"
  }

  func keyspace(_ name: String) throws -> SedimentCollection {
    if name.isEmpty { return session.store.defaultCollection }
    return try collection(name)
  }

  func collection(_ name: String) throws -> SedimentCollection {
    if let known = handles[name] { return known }
    var made: SedimentCollection?
    // Without one it is a change, and may find no room.
    _ = try change("collection", model.spaces[name] == nil ? [.create(name)] : [], throwing: true) {
      made = try session.store.collection(name)
      return true
    }
    let handle = made!
    handles[name] = handle
    return handle
  }

  /// Lets go of a collection's handle, which is none any more.
  func release(_ name: String) -> SedimentCollection? { handles.removeValue(forKey: name) }

  func newKey(_ sizes: Sizes) -> Key {
    nextNumber += 1
    return Key(thread: UInt8(thread), number: nextNumber, byteCount: sizes.draw(&dice))
  }

  /// The key of a number, whose length follows from it.
  func key(_ number: Int, _ sizes: Sizes) -> Key {
    var dice = Dice(seed: UInt64(number))
    return Key(thread: UInt8(thread), number: UInt32(number), byteCount: sizes.draw(&dice))
  }

  func newValue(_ sizes: Sizes, _ content: Content) -> Value {
    stampCount += 1
    return Value(stamp: Dice.mixed(stampCount), byteCount: sizes.draw(&dice), content: content)
  }

  /// Begins to number new keys behind those that are there.
  func renumber() {
    for contents in model.spaces.values {
      for key in contents.entries.keys where key.number >= nextNumber { nextNumber = key.number + 1 }
    }
  }

  // MARK: Changes

  /// What became of a change.
  enum Outcome {
    case made, notMade, refused, closed
  }

  struct Refused: Error {
    var outcome: Outcome
  }

  /// Makes a change by `body`, which says whether it was one.
  ///
  /// What it throws is held against what it may be.
  @discardableResult
  func change(
    _ name: String, _ changes: [Change], isRemoval: Bool = false, throwing: Bool = false,
    isInside: Bool = false,
    _ body: () throws -> Bool
  ) throws -> Outcome {
    let needed = Weight.of(changes)
    account(adding: isRemoval ? 0 : needed)
    let heldBefore = session.account.now
    let wasClosed = session.isClosed.isSet
    // One that ends behind a backup may be in it all the same.
    let isRecorded = snapshot != nil && session.records.isSet
    let begin = Clock.now
    session.journal?.begin(thread, begin, changes)
    defer { account() }
    do {
      let isMade = try session.watch.timed(name, thread: thread, byteCount: needed, body)
      let end = Clock.now
      session.journal?.end(thread, end, isMade)
      if isMade {
        let weightBefore = model.weight
        model.apply(changes, from: begin, to: end)
        if model.weight > weightBefore { session.account.noteGrowth() }
        noteSteady(needed)
        if isRecorded { log.append((changes, begin, end)) }
      }
      return isMade ? .made : .notMade
    } catch let error as SedimentError {
      session.journal?.end(thread, Clock.now, false)
      let held = max(heldBefore, session.account.now) - (isRemoval ? 0 : needed)
      let outcome = judge(
        error, name, changes, held, isRemoval: isRemoval, isInside: isInside, wasClosed: wasClosed)
      if throwing { throw Refused(outcome: outcome) }
      return outcome
    }
  }

  private func noteSteady(_ needed: Int) {
    let growthCount = session.account.growthCount
    if growthCount != steady.growthCount { steady = (0, 0, growthCount) }
    steady.count += 1
    steady.weightMost = max(steady.weightMost, needed)
  }

  /// Whether a change is like hundreds that were made while the store never held more.
  private func isSteady(_ changes: [Change]) -> Bool {
    guard steady.count > 500, Weight.of(changes) <= steady.weightMost else { return false }
    var after = model
    after.apply(changes, from: Clock.now, to: Clock.now)
    return after.weight <= model.weight && session.account.growthCount == steady.growthCount
  }

  private func judge(
    _ error: SedimentError, _ name: String, _ changes: [Change], _ held: Int, isRemoval: Bool, isInside: Bool,
    wasClosed: Bool
  ) -> Outcome {
    let needed = Weight.of(changes)
    switch error.code {
    case .closed where session.isClosing.isSet: return .closed
    case .outOfSpace:
      if wasClosed { findings.add(.error, "\(name) behind close() threw outOfSpace instead of closed") }
      let cap = session.settings.cap.map { " of a cap of \(text($0))" } ?? ""
      let file = FileSize(session.path)
      let figures =
        "\(evicts ? "nothing has to be kept" : "at most \(text(held)) are held")\(cap); the file has \(text(file.length)), "
        + "\(text(file.allocated)) allocated"
      // What was taken again and again does not find a store full because that closes.
      let isEnd = session.isClosing.isSet && isSteady(changes)
      if session.settings.compaction == .off {
        return .refused
      } else if isRemoval {
        findings.add(.removal, "\(name) was refused: outOfSpace while \(figures)")
      } else if !isInside, session.mustSucceed(adding: needed, holding: held) || isEnd {
        let closing = session.isClosing.isSet ? " beside close()" : ""
        findings.add(
          .progress, "\(name) of \(text(needed)) was refused\(closing): outOfSpace while \(figures)")
      }
      return .refused
    default:
      findings.add(.error, "\(name) threw \(error.code): \(error)")
      session.stops.isSet = true
      return .refused
    }
  }
}
