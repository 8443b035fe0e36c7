import Sediment
import SedimentDisk
import SedimentFormat
import SedimentSupport
import SedimentTesting
import Testing

/// Opening bytes of every kind: never a trap, and never wrong data without an error.
@Suite struct RecoveryFuzzTests {
  private func store(closed: Bool) throws -> LogBuilder {
    var log = try LogBuilder(slotCount: 1, fileSlotCount: 8)
    try log.open()
    try log.put("a", "1")
    try log.putBatch([("b", "2"), ("c", "3")])
    try log.putLarge("d", pieces: [(6, [UInt8](repeating: 9, count: 100))])
    try log.roll(slot: 4)
    try log.change([.segment(try log.survivors(slot: 5, floor: 9, [(2, "z", "1")]))])
    try log.put("e", "4")
    try log.sync()
    if closed { try log.close() } else { try log.put("f", "5") }
    return log
  }

  /// Opens the bytes, for writing and for reading; what is recovered, nil where it is refused.
  private func open(_ bytes: [UInt8]) -> [String]? {
    let disk = SimulatedDisk(seed: 3)
    disk.install(bytes, at: LogBuilder.path)
    let reading = try? lines(recover(disk, .readOnly).log, on: disk)
    let call = disk.callCount
    let writing = try? lines(recover(disk).log, on: disk)
    #expect(reading == writing)
    if writing == nil { #expect(changes(disk, since: call).isEmpty) }
    return writing
  }

  @Test(arguments: [true, false])
  func `With any bit of the file turned around it is refused, or what was synced is there`(closed: Bool)
    throws
  {
    let log = try store(closed: closed)
    let contents = log.disk.contents(of: LogBuilder.path)!
    let used =
      [0..<192, 16_384..<16_384 + 192, 5 * 16_384..<5 * 16_384 + 200, 6 * 16_384..<6 * 16_384 + 256]
      + [2 * 16_384..<2 * 16_384 + 128, 4 * 16_384..<4 * 16_384 + 128] + log.records.map(\.byteRange)
    var refused = 0
    for byte in used.joined() {
      for bit in [byte % 8, (byte / 2 + 3) % 8] {
        var damaged = contents
        damaged[byte] ^= 1 << UInt8(bit)
        guard let found = open(damaged) else {
          refused += 1
          continue
        }
        let isWhole = found == log.lines || !closed && found == log.lines.dropLast()
        #expect(isWhole, "bit \(bit) of byte \(byte)")
      }
    }
    #expect(refused > 500)
  }

  @Test func `Random bytes in place of parts of the file are refused or change nothing`() throws {
    let log = try store(closed: true)
    let contents = log.disk.contents(of: LogBuilder.path)!
    var generator = SeededGenerator(seed: 8)
    for round in 0..<400 {
      var damaged = contents
      let start = Int.random(in: 0..<contents.count / 8, using: &generator) * 8
      let length = Int.random(in: 1...(round % 2 == 0 ? 64 : 4096), using: &generator)
      for byte in start..<min(start + length, damaged.count) {
        damaged[byte] = UInt8.random(in: 0...255, using: &generator)
      }
      if let found = open(damaged) { #expect(found == log.lines, "round \(round)") }
    }
  }

  @Test func `With sectors zeroed, exchanged or doubled, and cut at any length, the same holds`() throws {
    let log = try store(closed: true)
    let contents = log.disk.contents(of: LogBuilder.path)!
    var generator = SeededGenerator(seed: 9)
    for _ in 0..<400 {
      var damaged = contents
      let from = Int.random(in: 0..<contents.count / 512, using: &generator) * 512
      let to = Int.random(in: 0..<contents.count / 512, using: &generator) * 512
      damaged.replaceSubrange(to..<to + 512, with: contents[from..<from + 512])
      if let found = open(damaged) { #expect(found == log.lines) }
    }
    for length in stride(from: 0, through: contents.count, by: 509) {
      if let found = open(Array(contents[..<length])) { #expect(found == log.lines, "length \(length)") }
    }
  }

  @Test func `Sound records of random contents never trap`() throws {
    var generator = SeededGenerator(seed: 10)
    for _ in 0..<600 {
      var log = try LogBuilder(slotCount: 1, fileSlotCount: 8)
      try log.open()
      for _ in 0..<3 {
        let type = UInt8.random(in: 0...6, using: &generator)
        var value = [UInt8](
          repeating: 0, count: [16, 32, 40, 96, 144][Int.random(in: 0..<5, using: &generator)])
        value[0] = type
        for _ in 0..<Int.random(in: 0..<12, using: &generator) {
          value[Int.random(in: 1..<value.count, using: &generator)] = UInt8.random(
            in: 0...255, using: &generator)
        }
        try log.append(type == 6 && value.count >= 56 ? .putLarge : .control, value: value)
      }
      let disk = log.durable()
      _ = try? recover(disk, .readOnly)
      _ = try? recover(disk)
    }
  }
}
