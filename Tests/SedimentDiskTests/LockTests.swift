import Foundation
import SedimentDisk
import Testing

@Suite struct LockTests {
  let directory: TemporaryDirectory
  let first: any DiskFile
  let second: any DiskFile

  init() throws {
    directory = try TemporaryDirectory()
    first = try disk.open(directory["file"], .create)
    second = try disk.open(directory["file"], .readWrite)
  }

  @Test func `an exclusive lock keeps every other opening out until it is released`() throws {
    #expect(try first.lock(0..<10, .exclusive))
    #expect(try second.lock(0..<10, .exclusive) == false)
    #expect(try second.lock(0..<10, .shared) == false)
    #expect(try second.lock(9..<11, .shared) == false)
    try first.unlock(0..<10)
    #expect(try second.lock(0..<10, .exclusive))
    #expect(try first.lock(0..<10, .shared) == false)
  }

  @Test func `shared locks share and keep an exclusive one out`() throws {
    #expect(try first.lock(0..<10, .shared))
    #expect(try second.lock(0..<10, .shared))
    #expect(try second.lock(0..<10, .exclusive) == false)
    try first.unlock(0..<10)
    #expect(try second.lock(0..<10, .exclusive))
  }

  @Test func `locks of neighbouring bytes do not touch, far beyond the end of the file`() throws {
    let far: UInt64 = 1 << 62
    #expect(try first.lock(far..<far + 1, .exclusive))
    #expect(try second.lock(far + 1..<far + 2, .exclusive))
    #expect(try second.lock(far - 1..<far, .exclusive))
    #expect(try second.lock(far..<far + 1, .exclusive) == false)
    #expect(try first.byteCount() == 0)
  }

  @Test func `a lock can be changed, in whole and in part`() throws {
    #expect(try first.lock(0..<10, .exclusive))
    #expect(try first.lock(0..<10, .exclusive))
    #expect(try first.lock(0..<5, .shared))
    try first.unlock(7..<8)
    #expect(try second.lock(0..<5, .shared))
    #expect(try second.lock(5..<7, .shared) == false)
    #expect(try second.lock(7..<8, .exclusive))
  }

  @Test func `closing releases the locks of that opening, and no other`() throws {
    let third = try disk.open(directory["file"], .readWrite)
    #expect(try first.lock(0..<1, .exclusive))
    #expect(try second.lock(1..<2, .exclusive))
    try second.close()
    #expect(try third.lock(1..<2, .exclusive))
    #expect(try third.lock(0..<1, .exclusive) == false)
    try first.close()
    #expect(try third.lock(0..<1, .exclusive))
  }

  @Test func `closing releases the locks while a mapping lives on`() throws {
    try first.allocate(0..<page)
    let mapping = try first.reserveMapping(byteCount: page)
    try mapping.expose(0..<page, writable: true)
    #expect(try first.lock(0..<1 << 62, .exclusive))
    #expect(try second.lock(0..<1, .exclusive) == false)
    try first.close()
    #expect(try second.lock(0..<1 << 62, .exclusive))
    mapping.store([1], at: 0)
    #expect(try second.read(1, at: 0) == [1])
  }

  @Test func `a dropped file releases its locks`() throws {
    #expect(try disk.open(directory["file"], .readWrite).lock(0..<1, .exclusive))
    #expect(try first.lock(0..<1, .exclusive))
  }

  @Test func `a file opened for reading takes shared locks alone`() throws {
    let reader = try disk.open(directory["file"], .read)
    #expect(try reader.lock(0..<10, .shared))
    #expect(try first.lock(0..<10, .exclusive) == false)
    #expect(throws: reader.error(.lock, at: 3, .badDescriptor)) { try reader.lock(3..<4, .exclusive) }
  }

  @Test func `an empty range is nothing, not all that follows`() throws {
    #expect(try first.lock(5..<5, .exclusive))
    #expect(try second.lock(0..<100, .exclusive))
    try second.unlock(5..<5)
    #expect(try first.lock(50..<51, .shared) == false)
  }

  @Test func `ranges beyond what the system counts are invalid`() throws {
    let far = UInt64(Int64.max) + 1
    #expect(throws: first.error(.lock, at: 0, .invalidArgument)) { try first.lock(0..<far, .shared) }
    #expect(throws: first.error(.lock, at: far, .invalidArgument)) { try first.lock(far..<far + 1, .shared) }
    #expect(throws: first.error(.lock, at: far, .invalidArgument)) { try first.unlock(far..<far + 1) }
    #expect(try first.lock(0..<far - 1, .exclusive))
  }
}
