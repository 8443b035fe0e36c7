import CrashModel
import Sediment
import SedimentDisk
import SedimentTesting

// What concerns the store as a whole.

extension ModelRun {
  mutating func clear() throws {
    switch choices.number(below: 8) {
    case 0:
      guard try isDone({ try store.removeEverything(durability: choices.durability()) }) else { return }
      model.clearEverything()
    case 1...2:
      let name = choices.collectionName()
      var wasThere = false
      guard try isDone({ wasThere = try store.dropCollection(name) }) else { return }
      try expect(wasThere == model.has(name), "drop")
      model.drop(name)
    default:
      let name = choices.name()
      guard let space = try space(name), try isDone({ try space.removeAll() }) else { return }
      model.clear(name)
    }
  }

  mutating func collection() throws {
    _ = try space(choices.collectionName())
    try expect(try store.collectionNames == model.names, "the names of the collections")
    try expectLocked()
  }

  /// Nobody else gets the file meanwhile, not even to read it.
  private func expectLocked() throws {
    for readOnly in [false, true] {
      do {
        try SedimentStore(path: Self.path, options: SedimentOptions(readOnly: readOnly), disk: disk).close()
        throw ModelMistake(description: "two have the file at a time")
      } catch let error as SedimentError
        where isRefusedByLock(error)
      {}
    }
  }

  mutating func moveClock() {
    let change = choices.number(below: 4_000)
    let isBack = choices.isOne(of: 4)
    if settings.isAgeing, !isBack {
      let duration = Duration.seconds(choices.number(below: 900))
      disk.advanceClocks(by: duration)
      return model.setClock(to: disk.wallClock(), after: duration)
    }
    disk.setWallClock(to: ClockJump.time(model.clock, after: .milliseconds(isBack ? -change : change)))
    model.setClock(to: disk.wallClock())
  }

  /// Lets the clock be wrong for a while, or right again.
  mutating func jumpClock() {
    let right = ClockJump.time(model.clock, after: .zero - clockError)
    let jump = clockError == .zero || choices.isOne(of: 3) ? choices.jump() : .zero
    disk.setWallClock(to: ClockJump.time(right, after: jump))
    clockError = .milliseconds(Int64(disk.wallClock()) - Int64(right))
    model.setClock(to: disk.wallClock())
  }

  /// Takes note of how long the file is: a store that is near its cap may leave out what it likes.
  mutating func noteFullness() {
    guard settings.evicts, let byteCountMax = settings.byteCountMax else { return }
    if (disk.byteCount(of: Self.path) ?? 0) > byteCountMax / 4 * 3 { model.letEverythingGo() }
  }

  /// Makes durable what is there, in one of the ways.
  mutating func keep() throws {
    switch choices.number(below: 3) {
    case 0: try store.sync()
    case 1: _ = try isDone { try store.checkpoint() }
    default: try store.storeIndex()
    }
  }

  mutating func compact() throws {
    var stepCount = choices.isOne(of: 4) ? choices.number(below: 4) : Int.max
    do {
      _ = try isDone {
        try store.compact { _ in
          stepCount -= 1
          return stepCount < 0 ? .stop : .continue
        }
      }
      try expect(settings.compaction != .off, "compaction that is off")
    } catch let error as SedimentError where error.code == .cancelled {
    } catch let error as SedimentError where error.code == .invalidArgument && settings.compaction == .off {
    }
  }

  /// Makes a copy, which is to hold the same.
  mutating func backUp() throws {
    let path = "/data/copy.sediment"
    try store.backup(to: path)
    // A copy that is only read leaves nothing out by itself.
    let copy = try SedimentStore(
      path: path, options: SedimentOptions(readOnly: true, access: settings.access), disk: disk,
      scheduler: scheduler)
    try expectContents(of: copy)
    try copy.close()
    try verify(path)
    try SedimentStore.destroy(path: path, on: disk)
  }

  /// Goes on in another opening: after a close, a drop, the death of the process, or a power failure that
  /// everything had been synced before.
  mutating func reopen() throws {
    switch choices.number(below: 5) {
    case 0...2 where stayDepth > 0: return try closeInside()
    case 0...1:
      if choices.isOne(of: 2) { try store.storeIndex() }
      try close()
      try verify(Self.path)
    case 2: opened = nil
    case 3:
      let image = disk.afterProcessDeath()
      abandon(for: image)
      try verify(Self.path)
    default:
      try store.sync()
      let image = disk.afterPowerLoss(.nothing)
      abandon(for: image)
    }
    try open()
    // What comes next may find that the index is not whole yet.
    if !choices.isOne(of: 2) { try expectWholeStore() }
  }

  /// Closes the store inside a closure that reads from it: nobody gets the file before that has ended.
  mutating func closeInside() throws {
    let store = try store
    try close()
    try store.close()
    do {
      // Whoever gets it all the same may change what is being read, which is compared later.
      try open()
    } catch let error as SedimentError where isRefusedByLock(error) {
      try expectLocked()
      try expect(
        isLocked { try SedimentStore.destroy(path: Self.path, on: disk) },
        "what is read can be destroyed")
    }
  }

  private func isLocked(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return false
    } catch let error as SedimentError {
      return isRefusedByLock(error)
    } catch {
      return false
    }
  }

  /// Whether an error is that of a lock which another opening has; some machines do not tell that one has it.
  private func isRefusedByLock(_ error: SedimentError) -> Bool {
    error.code == .locked
      || settings.machine.refusals.contains(.secondLocks) && error.systemError?.operation == .lock
  }

  /// Lets the store go with its disk, and turns to another.
  private mutating func abandon(for image: SimulatedDisk) {
    opened = nil
    disk = image
    recoveryCount += 1
    scheduler = ManualScheduler()
  }

  private func verify(_ path: String) throws {
    let report = try SedimentStore.verify(path: path, on: disk)
    try expect(report.isIntact, "verification: \(report.findings.map(\.description))")
  }
}
