import Foundation
import SedimentDisk
import Testing

@Suite struct SpaceTests {
  let directory: TemporaryDirectory
  let file: any DiskFile

  init() throws {
    directory = try TemporaryDirectory()
    file = try disk.open(directory["file"], .create)
  }

  @Test func `truncating shortens, and extends with zeros`() throws {
    try file.write(pattern(1_000), at: 0)
    try file.truncate(to: 10)
    #expect(try file.read(1_000, at: 0) == pattern(10))
    try file.truncate(to: 5_000)
    #expect(try file.byteCount() == 5_000)
    #expect(try file.read(9_000, at: 0) == pattern(10) + zeros(4_990))
    try file.truncate(to: 0)
    #expect(try file.byteCount() == 0)
  }

  @Test func `allocating extends the file with zeros to the end of the range`() throws {
    try file.write([1, 2, 3], at: 0)
    try file.allocate(100..<200_000)
    #expect(try file.byteCount() == 200_000)
    #expect(try file.read(300_000, at: 0) == [1, 2, 3] + zeros(199_997))
    if file.traits.allocatesBlocks { #expect(allocatedByteCount(of: file.path) >= 199_900) }
  }

  @Test func `allocating never shortens and never changes a byte`() throws {
    let bytes = pattern(50_000)
    try file.write(bytes, at: 0)
    try file.allocate(0..<4_096)
    try file.allocate(10_000..<20_001)
    #expect(try file.byteCount() == 50_000)
    try file.allocate(49_999..<60_000)
    #expect(try file.read(70_000, at: 0) == bytes + zeros(10_000))
  }

  @Test func `forgetting reserved blocks changes no byte, synced or not`() throws {
    let bytes = pattern(50_000)
    try file.allocate(0..<8_000_000)
    try file.write(bytes, at: 100)
    try file.sync()
    for start in stride(from: UInt64(200_000), to: 7_000_000, by: 500_000) {
      try file.write(bytes, at: start)
    }
    let before = try file.read(9_000_000, at: 0)
    file.forgetUnwritten()
    #expect(try file.read(9_000_000, at: 0) == before)
    try file.close()
    file.forgetUnwritten()
  }

  @Test func `a punched hole reads as zeros, and only it`() throws {
    guard file.traits.punchesHoles else {
      #expect(throws: file.error(.punchHole, at: 0, .notSupported)) { try file.punchHole(0..<page) }
      return
    }
    let bytes = pattern(1 << 20)
    try file.write(bytes, at: 0)
    try file.sync()
    let before = allocatedByteCount(of: file.path)
    try file.punchHole(100..<1_000_001)
    try file.sync()
    #expect(try file.read(1 << 21, at: 0) == bytes[..<100] + zeros(999_901) + bytes[1_000_001...])
    // All whole blocks of the range, whatever their size is up to 64 KiB.
    #expect(before - allocatedByteCount(of: file.path) >= 999_901 - 2 * 65_536)
  }

  @Test func `a file tells what it takes of the disk`() throws {
    #expect(try file.allocatedByteCount() == UInt64(allocatedByteCount(of: file.path)))
    try file.write(pattern(1 << 20), at: 0)
    try file.sync()
    #expect(try file.allocatedByteCount() == UInt64(allocatedByteCount(of: file.path)))
    #expect(try file.allocatedByteCount() >= 1 << 20)
    guard file.traits.punchesHoles else { return }
    try file.punchHole(0..<1 << 19)
    #expect(try file.allocatedByteCount() < 1 << 20)
  }

  @Test func `a hole at the file's end and beyond it does not change its length`() throws {
    guard file.traits.punchesHoles else { return }
    try file.write(pattern(10_000), at: 0)
    try file.punchHole(8_000..<1_000_000)
    try file.punchHole(1 << 30..<1 << 31)
    #expect(try file.byteCount() == 10_000)
    #expect(try file.read(20_000, at: 0) == pattern(8_000) + zeros(2_000))
  }

  @Test func `a hole can be allocated and written anew`() throws {
    guard file.traits.punchesHoles else { return }
    try file.write(pattern(100_000), at: 0)
    try file.punchHole(0..<100_000)
    try file.allocate(0..<100_000)
    #expect(try file.read(200_000, at: 0) == zeros(100_000))
    try file.write([5], at: 50_000)
    #expect(try file.read(3, at: 49_999) == [0, 5, 0])
    if file.traits.allocatesBlocks { #expect(allocatedByteCount(of: file.path) >= 100_000) }
  }

  @Test func `an empty range is nothing`() throws {
    try file.allocate(100_000..<100_000)
    #expect(try file.byteCount() == 0)
    guard file.traits.punchesHoles else { return }
    try file.write([1], at: 0)
    try file.punchHole(0..<0)
    #expect(try file.read(2, at: 0) == [1])
  }

  @Test func `ranges beyond what the system counts are invalid`() throws {
    let far = UInt64(Int64.max) + 1
    for range in [0..<far, far..<far + 1, .max..<UInt64.max] {
      #expect(throws: file.error(.allocate, at: range.lowerBound, .invalidArgument)) {
        try file.allocate(range)
      }
      #expect(throws: file.error(.punchHole, at: range.lowerBound, .invalidArgument)) {
        try file.punchHole(range)
      }
    }
    #expect(throws: file.error(.truncate, at: far, .invalidArgument)) { try file.truncate(to: far) }
    #expect(throws: file.error(.truncate, at: .max, .invalidArgument)) { try file.truncate(to: .max) }
    #expect(try file.byteCount() == 0)
  }

  @Test func `data is found behind holes, and none behind the last of it`() throws {
    let mib: UInt64 = 1 << 20
    #expect(try file.dataRange(from: 0) == nil)
    try file.write(pattern(4096), at: mib)
    try file.write(pattern(100), at: 3 * mib)
    try file.truncate(to: 4 * mib)
    let first = try #require(try file.dataRange(from: 0))
    // A system that cannot tell takes everything for data.
    guard first.lowerBound > 0 else {
      #expect(first == 0..<4 * mib)
      return
    }
    #expect(first == mib..<mib + 4096)
    #expect(try file.dataRange(from: mib + 100) == mib + 100..<mib + 4096)
    #expect(try file.dataRange(from: mib + 4096) == 3 * mib..<3 * mib + 4096)
    #expect(try file.dataRange(from: 3 * mib + 4096) == nil)
    #expect(try file.dataRange(from: 4 * mib) == nil)
    #expect(try file.dataRange(from: .max) == nil)
  }

  @Test func `a clone has the bytes, and shares no later change`() throws {
    let path = directory["clone"]
    try file.write(pattern(100_000), at: 0)
    guard file.traits.clones else {
      #expect(throws: file.error(.clone, .notSupported)) { try file.clone(to: path) }
      #expect(try directory.names == ["file"])
      return
    }
    try file.clone(to: path)
    #expect(status(of: path).st_mode == S_IFREG | 0o600)
    try file.write(zeros(100_000), at: 0)
    let clone = try disk.open(path, .readWrite)
    #expect(try clone.read(200_000, at: 0) == pattern(100_000))
    try clone.allocate(0..<200_000)
    #expect(try clone.read(200_000, at: 0) == pattern(100_000) + zeros(100_000))
    #expect(throws: DiskError(.clone, path: path, code: .exists)) { try file.clone(to: path) }
    #expect(try clone.read(200_000, at: 0) == pattern(100_000) + zeros(100_000))
    let lost = directory["missing/clone"]
    #expect(throws: DiskError(.clone, path: lost, code: .notFound)) { try file.clone(to: lost) }
  }
}
