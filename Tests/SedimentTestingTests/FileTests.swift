import SedimentDisk
import SedimentTesting
import Testing

@Suite("Files, names and locks behave as the seam says")
struct FileTests {
  let disk = SimulatedDisk(seed: 1)

  @Test("Modes of opening")
  func modes() throws {
    #expect(failure { () throws(DiskError) in _ = try disk.open("a", .read) } == .notFound)
    #expect(failure { () throws(DiskError) in _ = try disk.open("a", .readWrite) } == .notFound)
    let file = try disk.open("a", .create)
    #expect(failure { () throws(DiskError) in _ = try disk.open("a", .create) } == .exists)
    try file.write([1, 2, 3], at: 0)
    let reader = try disk.open("a", .read)
    #expect(try reader.read(0..<10) == [1, 2, 3])
    #expect(reader.path == "a")
    #expect(failure { () throws(DiskError) in try reader.write([1], at: 0) } == .badDescriptor)
    #expect(failure { () throws(DiskError) in try reader.truncate(to: 0) } == .badDescriptor)
    #expect(failure { () throws(DiskError) in try reader.allocate(0..<1) } == .badDescriptor)
    #expect(failure { () throws(DiskError) in try reader.punchHole(0..<1) } == .badDescriptor)
    #expect(failure { () throws(DiskError) in _ = try reader.lock(0..<1, .exclusive) } == .badDescriptor)
    #expect(failure { () throws(DiskError) in try reader.sync() } == nil)
  }

  @Test("Reading ends where the file does, and gaps read as zeros")
  func reading() throws {
    let file = try disk.open("a", .create)
    try file.write([7], at: 5000)
    #expect(try file.byteCount() == 5001)
    #expect(try file.read(4998..<5010) == [0, 0, 7])
    #expect(try file.read(5001..<5002) == [])
    #expect(try file.read(1 << 50..<1 << 50 + 1) == [])
    #expect(disk.allocatedByteCount(of: "a") == 4096)
  }

  @Test("What would be cut off by shortening does not show when the file grows again")
  func truncation() throws {
    let file = try disk.installed("a", filled(1, 100))
    try file.truncate(to: 10)
    try file.truncate(to: 20)
    #expect(disk.contents(of: "a") == filled(1, 10) + filled(0, 10))
  }

  @Test("Every call after closing fails, but closing again")
  func useAfterClose() throws {
    let file = try disk.installed("a", [1])
    try file.close()
    try file.close()
    #expect(failure { () throws(DiskError) in _ = try file.byteCount() } == .badDescriptor)
    #expect(failure { () throws(DiskError) in _ = try file.read(0..<1) } == .badDescriptor)
    #expect(failure { () throws(DiskError) in try file.write([], at: 0) } == .badDescriptor)
    #expect(failure { () throws(DiskError) in try file.allocate(0..<1) } == .badDescriptor)
    #expect(failure { () throws(DiskError) in try file.punchHole(0..<1) } == .badDescriptor)
    #expect(failure { () throws(DiskError) in try file.truncate(to: 0) } == .badDescriptor)
    #expect(failure { () throws(DiskError) in try file.sync() } == .badDescriptor)
    #expect(failure { () throws(DiskError) in _ = try file.reserveMapping(byteCount: 1) } == .badDescriptor)
    #expect(failure { () throws(DiskError) in try file.clone(to: "b") } == .badDescriptor)
    #expect(failure { () throws(DiskError) in _ = try file.lock(0..<1, .shared) } == .badDescriptor)
    #expect(failure { () throws(DiskError) in try file.unlock(0..<1) } == .badDescriptor)
  }

  @Test("Positions that no file reaches are errors", arguments: [UInt64(64 << 20), 1 << 62, 1 << 63, .max])
  func farPositions(offset: UInt64) throws {
    let file = try disk.installed("a", [1])
    let beyond = offset == .max ? offset..<offset : offset..<offset + 1
    let code: SystemErrorCode = offset > UInt64(Int64.max) - 1 ? .invalidArgument : .fileTooLarge
    #expect(failure { () throws(DiskError) in try file.write([1], at: offset) } == code)
    #expect(failure { () throws(DiskError) in try file.allocate(beyond) } == code)
    #expect(failure { () throws(DiskError) in try file.truncate(to: max(offset, offset &+ 1)) } == code)
    let isReadable = offset < 1 << 63
    #expect(failure { () throws(DiskError) in try file.punchHole(beyond) } == (isReadable ? nil : code))
    #expect(disk.contents(of: "a") == [1])
    let mapping = try file.reserveMapping(byteCount: offset)
    #expect(mapping.byteCount >= min(offset, UInt64(Int64.max) / 2))
  }

  @Test("Empty ranges are nothing")
  func emptyRanges() throws {
    let file = try disk.installed("a", [1])
    let events = disk.crashPoint
    try file.write([], at: 100)
    try file.allocate(5000..<5000)
    try file.punchHole(0..<0)
    #expect(try file.lock(0..<0, .exclusive))
    try file.unlock(0..<0)
    #expect(try file.read(0..<0) == [])
    #expect(disk.crashPoint == events)
    #expect(disk.contents(of: "a") == [1])
  }

  @Test("Renaming keeps or replaces what has the name, within a directory")
  func renaming() throws {
    disk.install([1], at: "d/a")
    disk.install([2], at: "d/b")
    #expect(
      failure { () throws(DiskError) in try disk.rename("d/a", to: "d/b", .keepExisting) } == .exists)
    #expect(
      failure { () throws(DiskError) in try disk.rename("d/c", to: "d/e", .keepExisting) } == .notFound)
    #expect(
      failure { () throws(DiskError) in try disk.rename("d/a", to: "a", .keepExisting) } == .invalidArgument)
    let replaced = try disk.open("d/b", .read)
    try disk.rename("d/a", to: "d/b", .replaceExisting)
    #expect(disk.contentsByPath == ["d/b": [1]])
    #expect(try replaced.read(0..<1) == [2])
    #expect(failure { () throws(DiskError) in try disk.remove("d/a") } == .notFound)
  }

  @Test("Openings of one file share an identifier, which no other file has")
  func identifiers() throws {
    let first = try disk.installed("a", [])
    let other = try disk.installed("b", [])
    let foreign = try SimulatedDisk(seed: 1).installed("a", [])
    #expect(try first.identifier == disk.open("a", .read).identifier)
    #expect(Set([first.identifier, other.identifier, foreign.identifier]).count == 3)
  }

  @Test("A clone is a file of its own, durable when it was synced")
  func cloning() throws {
    let traits = FileTraits(allocatesBlocks: true, punchesHoles: true, clones: true, name: "simulated")
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: 1, traits: traits))
    let file = try disk.installed("a", filled(1, 600))
    try file.truncate(to: 9000)
    try file.clone(to: "b")
    try file.write([2], at: 0)
    #expect(disk.contents(of: "b") == filled(1, 600) + filled(0, 8400))
    #expect(disk.allocatedByteCount(of: "b") == 4096)
    #expect(failure { () throws(DiskError) in try file.clone(to: "b") } == .exists)
    #expect(disk.afterPowerLoss(.nothing).paths == ["a"])
    try disk.open("b", .readWrite).sync()
    try disk.syncDirectory(of: "b")
    #expect(disk.afterPowerLoss(.nothing).contents(of: "b") == disk.contents(of: "b"))
  }
}

@Suite("Locks of two openings")
struct LockTests {
  let disk = SimulatedDisk(seed: 1)

  @Test("An exclusive lock keeps others out, a shared one only exclusive ones")
  func modes() throws {
    let first = try disk.installed("a", [])
    let second = try disk.open("a", .readWrite)
    #expect(try first.lock(0..<10, .exclusive))
    #expect(try !second.lock(9..<20, .exclusive))
    #expect(try !second.lock(0..<1, .shared))
    #expect(try second.lock(10..<20, .exclusive))
    #expect(try first.lock(0..<10, .shared))
    #expect(try second.lock(0..<1, .shared))
    #expect(try !first.lock(0..<10, .exclusive))
    #expect(try first.lock(1..<10, .exclusive))
  }

  @Test("Releasing a part leaves the rest")
  func parts() throws {
    let first = try disk.installed("a", [])
    let second = try disk.open("a", .readWrite)
    #expect(try first.lock(0..<30, .exclusive))
    try first.unlock(10..<20)
    #expect(try second.lock(10..<20, .exclusive))
    #expect(try !second.lock(9..<10, .shared))
    #expect(try !second.lock(20..<21, .shared))
    try second.unlock(0..<100)
    #expect(try !second.lock(0..<1, .shared))
  }

  @Test("Closing, dropping and the death of the process release")
  func release() throws {
    let first = try disk.installed("a", [])
    #expect(try first.lock(0..<1, .exclusive))
    #expect(try disk.afterProcessDeath().open("a", .readWrite).lock(0..<1, .exclusive))
    try first.close()
    do {
      let dropped = try disk.open("a", .readWrite)
      #expect(try dropped.lock(0..<1, .exclusive))
    }
    #expect(try disk.open("a", .readWrite).lock(0..<1, .exclusive))
  }
}
