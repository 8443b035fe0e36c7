import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Recovery that is itself interrupted, and power failures of every kind before it.
@Suite struct RecoveryCrashTests {
  /// A store with everything that recovery writes again, none of it synced but its beginning.
  private func store() throws -> (log: LogBuilder, syncedCount: Int) {
    var log = try LogBuilder()
    try log.open()
    try log.put("a", "1")
    try log.sync()
    let syncedCount = log.lines.count
    log.disk.trimHistory()
    try log.put("b", "2")
    try log.putLarge("c", pieces: [(9, [UInt8](repeating: 3, count: 700))])
    try log.roll(slot: 6)
    try log.putBatch([("d", "4"), ("e", "5")])
    try log.remove("a")
    return (log, syncedCount)
  }

  private func isPrefix(_ lines: [String], of log: LogBuilder) -> Bool {
    log.lines.starts(with: lines) && lines.last != "d=4"
  }

  @Test func `Whatever a power failure leaves, the log is a prefix that has what was synced`() throws {
    let (log, syncedCount) = try store()
    var counts: Set<Int> = []
    let options = CrashPlanOptions(exhaustiveCountMax: 64, randomCount: 16, countMax: 240)
    for state in log.disk.history {
      for choice in state.plans(options, seed: 5) {
        let image = state.afterPowerLoss(choice)
        let found = try lines(try recover(image).log, on: image)
        #expect(isPrefix(found, of: log) && found.count >= syncedCount, "point \(state.point), \(choice)")
        counts.insert(found.count)
        // What recovery returned survives whatever comes next.
        let next = image.afterPowerLoss(.nothing)
        #expect(try lines(try recover(next).log, on: next) == found, "point \(state.point), \(choice)")
      }
    }
    #expect(counts.isSuperset(of: [1, 2, 3, 6]))
  }

  @Test func `Interrupted at any moment, however often, recovery returns the same`() throws {
    let (log, _) = try store()
    let options = CrashPlanOptions(exhaustiveCountMax: 8, randomCount: 3, countMax: 12)
    for plan in [CrashPlan.everything, .random(seed: 3), .random(seed: 11), .random(seed: 12)] {
      let expected: [String]
      do {
        let first = log.disk.afterPowerLoss(plan)
        expected = try lines(try recover(first).log, on: first)
      }
      try interrupt(log.disk.afterPowerLoss(plan), expected, options, depth: 2)
    }
  }

  private func interrupt(
    _ disk: SimulatedDisk, _ expected: [String], _ options: CrashPlanOptions, depth: Int
  ) throws {
    disk.trimHistory()
    try recover(disk)
    var generator = SeededGenerator(seed: UInt64(depth))
    for state in disk.history {
      for choice in state.plans(options, seed: 7) {
        let image = state.afterPowerLoss(choice)
        let found = try lines(try recover(image).log, on: image)
        #expect(found == expected, "depth \(depth), point \(state.point), \(choice)")
        if depth > 1, Int.random(in: 0..<12, using: &generator) == 0 {
          try interrupt(state.afterPowerLoss(choice), expected, options, depth: depth - 1)
        }
      }
      let killed = state.afterProcessDeath()
      #expect(try lines(try recover(killed).log, on: killed) == expected, "death at \(state.point)")
    }
  }

  @Test
  func `After a sync that failed and dropped what it was to write, recovery makes it durable all the same`()
    throws
  {
    for afterDeath in [true, false] {
      let (log, _) = try store()
      log.disk.inject(.droppedSync(.inputOutput), only: [.sync])
      try? log.file.sync()
      // The cache has everything, the medium nothing, and a sync alone would not change that.
      let disk = afterDeath ? log.disk.afterProcessDeath() : log.disk
      #expect(try lines(try recover(disk).log, on: disk) == log.lines)
      let image = disk.afterPowerLoss(.nothing)
      #expect(try lines(try recover(image).log, on: image) == log.lines)
      // The large value, too, with the header of its extent.
      let extent = 9 * 16_384..<9 * 16_384 + 832
      #expect(image.contents(of: LogBuilder.path)?[extent] == log.disk.contents(of: LogBuilder.path)?[extent])
    }
  }

  private func count(_ operation: DiskOperation, _ disk: SimulatedDisk, since call: Int) -> Int {
    disk.calls[call...].count { $0.operation == operation }
  }

  @Test func `Whichever call of recovery fails, it is an error, and the next recovery returns the same`()
    throws
  {
    let (log, _) = try store()
    for code in [SystemErrorCode.inputOutput, .noSpace] {
      let whole = log.durable()
      let first = whole.callCount
      try recover(whole)
      // The first call opens the file and the last one closes it.
      for call in first + 1..<whole.callCount - 1 {
        let disk = log.durable()
        disk.inject(.error(code), atCall: call)
        let operation = whole.calls[call].operation
        let error = failure(disk)
        // A free run that cannot be reserved is passed over for the next.
        if operation == .allocate, code == .noSpace {
          #expect(error == nil)
        } else if operation == .read, error == nil {
          // Of free slots that cannot be read at once the first header is read alone, then the others.
          let more = count(.read, disk, since: first) - count(.read, whole, since: first)
          #expect(more == 1 || more == 2)
        } else {
          #expect(error?.systemError?.code == code, "call \(call) \(operation)")
          let isSpace = code == .noSpace && operation != .sync
          #expect(error?.code == (isSpace ? .outOfSpace : .inputOutput), "call \(call)")
          #expect(!changes(disk, since: call + 1).contains(.write), "call \(call)")
        }
        let image = disk.afterPowerLoss(.random(seed: UInt64(call)))
        #expect(try lines(try recover(image).log, on: image) == log.lines, "call \(call)")
      }
    }
  }

  @Test func `On a full disk it is an error, and the file means what it meant`() throws {
    let (log, _) = try store()
    let disk = log.durable()
    disk.injectForGood(.error(.noSpace), only: [.allocate])
    for _ in 0..<2 { #expect(failure(disk)?.code == .outOfSpace) }
    disk.clearFaults()
    #expect(try lines(try recover(disk).log, on: disk) == log.lines)
  }

  @Test func `Slots that were freed above the watermark are written only once that is durable`() throws {
    var log = try LogBuilder(slotCount: 1)
    try log.open()
    let survivors = try log.survivors(slot: 3, floor: 3, [(1, "z", "1")])
    try log.change([.segment(survivors)])
    try log.put("a", "1")
    try log.sync()
    for copy in Superblock.Copy.allCases {
      try log.writeSuperblock(copy, .open)
      try log.file.sync()
    }
    try log.change([.freed(slot: 3, generation: survivors.identity.generation)])
    try log.put("b", "2")
    let disk = log.disk.afterProcessDeath()
    disk.trimHistory()
    #expect(try recover(disk).log.tail.identity.run.first == 3)
    for state in disk.history {
      for choice in state.plans(CrashPlanOptions(exhaustiveCountMax: 64, countMax: 40), seed: 2) {
        let image = state.afterPowerLoss(choice)
        let found = try lines(try recover(image).log, on: image)
        #expect(found.first == "a=1", "point \(state.point), \(choice)")
      }
    }
  }

  @Test func `A file without free slots grows by the new segment`() throws {
    var log = try LogBuilder(slotCount: 2, fileSlotCount: 4)
    try log.open()
    try log.put("a", "1")
    let disk = log.durable()
    let result = try recover(disk)
    #expect(result.log.tail.identity.run.first == 4)
    #expect(disk.contents(of: LogBuilder.path)?.count == 5 * 16_384)
    #expect(result.log.catalogue.numbers.slotCount == 5)
  }

  @Test func `The first write to a closed file makes both superblocks say open, one sync after the other`()
    throws
  {
    var log = try LogBuilder()
    try log.open()
    try log.put("a", "1")
    try log.close()
    let disk = log.durable()
    disk.trimHistory()
    let file = try disk.openFile(LogBuilder.path, .readWrite)
    var result = try Opening(file, on: disk).recover(.readWrite)
    try result.keeper?.reopen()
    #expect(result.keeper?.leading.state == .open)
    for state in disk.history {
      for choice in state.plans(seed: 1) {
        let image = state.afterPowerLoss(choice)
        #expect(try lines(try recover(image).log, on: image) == ["a=1"])
      }
    }
    let head = try Head.read(from: file)
    #expect(head.leading.state == .open && head.other?.state == .open)
    #expect(head.leading.session == head.other?.session)
    let operations = disk.calls.map(\.operation).filter { $0 == .sync || $0 == .write }
    let expected: [DiskOperation] = [.write, .sync, .write, .sync, .write, .sync]
    #expect(Array(operations.suffix(6)) == expected)
    try result.keeper?.advance(watermark: result.log.end, state: .closed)
    try file.close()
    #expect(try recover(disk).log.isClean)
  }

  @Test func `After a failure the head is not touched again`() throws {
    var log = try LogBuilder()
    try log.close()
    let disk = log.durable()
    let file = try disk.openFile(LogBuilder.path, .readWrite)
    var keeper = try #require(try Opening(file, on: disk).recover(.readWrite).keeper)
    disk.inject(.error(.inputOutput), only: [.sync])
    #expect(throws: SedimentError.self) { try keeper.reopen() }
    let call = disk.callCount
    #expect(throws: SedimentError.self) { try keeper.reopen() }
    #expect(throws: SedimentError.self) { try keeper.advance(watermark: log.position, state: .closed) }
    #expect(changes(disk, since: call).isEmpty)
  }
}
