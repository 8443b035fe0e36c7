import Foundation
import SedimentDisk
import Testing

@Suite struct TransferTests {
  let directory: TemporaryDirectory
  let file: any DiskFile

  init() throws {
    directory = try TemporaryDirectory()
    file = try disk.open(directory["file"], .create)
  }

  @Test func `what was written is read, by another opening too`() throws {
    let bytes = pattern(100_000)
    try file.write(bytes, at: 0)
    #expect(try file.read(100_000, at: 0) == bytes)
    #expect(try file.read(10, at: 54_321) == Array(bytes[54_321..<54_331]))
    #expect(try disk.open(file.path, .read).read(100_000, at: 0) == bytes)
  }

  @Test func `a write extends the file and leaves zeros before it`() throws {
    try file.write([1, 2], at: 10_000)
    #expect(try file.byteCount() == 10_002)
    #expect(try file.read(20_000, at: 0) == zeros(10_000) + [1, 2])
  }

  @Test func `a write inside the file changes its own bytes alone`() throws {
    try file.write([1, 2, 3, 4, 5], at: 0)
    try file.write([9, 9], at: 1)
    #expect(try file.read(5, at: 0) == [1, 9, 9, 4, 5])
    #expect(try file.byteCount() == 5)
  }

  @Test func `reading ends where the file does`() throws {
    try file.write([1, 2, 3], at: 0)
    #expect(try file.read(10, at: 1) == [2, 3])
    #expect(try file.read(10, at: 3) == [])
    #expect(try file.read(10, at: 1 << 50) == [])
    #expect(try file.read(10, at: UInt64(Int64.max) - 10) == [])
  }

  @Test func `nothing can be read and written anywhere`() throws {
    try file.write([], at: 1 << 40)
    #expect(try file.read(0, at: 1 << 40) == [])
    #expect(try file.byteCount() == 0)
  }

  @Test(arguments: [UInt64(Int64.max) - 1, UInt64(Int64.max), UInt64(Int64.max) + 1, .max - 1, .max])
  func `positions beyond what the system counts are invalid`(offset: UInt64) throws {
    #expect(throws: file.error(.read, at: offset, .invalidArgument)) { try file.read(2, at: offset) }
    #expect(throws: file.error(.write, at: offset, .invalidArgument)) { try file.write([1, 2], at: offset) }
    #expect(try file.byteCount() == 0)
  }

  @Test func `a write beyond what the file system can hold says that the file would be too large`() throws {
    let offset: UInt64 = 1 << 62
    // Some file systems can hold as much as the system can count, and are not asked.
    guard (try? file.truncate(to: offset)) == nil else { return }
    #expect(throws: file.error(.write, at: offset, .fileTooLarge)) { try file.write([1], at: offset) }
    #expect(throws: file.error(.truncate, at: offset, .fileTooLarge)) { try file.truncate(to: offset) }
  }

  @Test func `a file opened for reading is not changed`() throws {
    try file.write([1, 2, 3], at: 0)
    let reader = try disk.open(file.path, .read)
    #expect(throws: reader.error(.write, at: 1, .badDescriptor)) { try reader.write([9], at: 1) }
    #expect(throws: DiskError.self) { try reader.truncate(to: 0) }
    #expect(throws: DiskError.self) { try reader.allocate(0..<10_000) }
    #expect(throws: DiskError.self) { try reader.punchHole(0..<10_000) }
    #expect(try reader.read(9, at: 0) == [1, 2, 3])
    try reader.sync()
  }

  @Test func `writes side by side all arrive`() throws {
    let bytes = pattern(64 * 1_000)
    let file = file
    DispatchQueue.concurrentPerform(iterations: 64) { part in
      // One that fails is missing below.
      try? file.write(Array(bytes[part * 1_000..<(part + 1) * 1_000]), at: UInt64(part) * 1_000)
    }
    try file.sync()
    #expect(try file.read(64_001, at: 0) == bytes)
  }

  @Test func `clocks and random bytes move`() throws {
    let seconds = disk.wallClock() / 1_000
    #expect(abs(Int64(seconds) - Int64(Date().timeIntervalSince1970)) <= 60)
    let moments = (0..<100).map { _ in disk.monotonicClock() }
    #expect(moments == moments.sorted())
    #expect(Set((0..<100).map { _ in disk.random() }).count == 100)
  }
}
