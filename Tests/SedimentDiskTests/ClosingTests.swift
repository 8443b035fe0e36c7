import Foundation
import SedimentDisk
import Synchronization
import Testing

@Suite struct ClosingTests {
  let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  @Test func `every call after close fails with bad descriptor, but closing again does nothing`() throws {
    let file = try disk.open(directory["file"], .create)
    try file.write([1], at: 0)
    try file.close()
    try file.close()
    #expect(throws: file.error(.byteCount, .badDescriptor)) { try file.byteCount() }
    #expect(throws: file.error(.read, at: 0, .badDescriptor)) { try file.read(1, at: 0) }
    #expect(throws: file.error(.read, at: 5, .badDescriptor)) { try file.read(0, at: 5) }
    #expect(throws: file.error(.write, at: 0, .badDescriptor)) { try file.write([1], at: 0) }
    #expect(throws: file.error(.write, at: 0, .badDescriptor)) { try file.write([], at: 0) }
    #expect(throws: file.error(.allocate, at: 0, .badDescriptor)) { try file.allocate(0..<1) }
    #expect(throws: file.error(.punchHole, at: 0, .badDescriptor)) { try file.punchHole(0..<1) }
    #expect(throws: file.error(.truncate, at: 0, .badDescriptor)) { try file.truncate(to: 0) }
    #expect(throws: file.error(.sync, .badDescriptor)) { try file.sync() }
    #expect(throws: file.error(.map, .badDescriptor)) { try file.reserveMapping(byteCount: 1) }
    #expect(throws: file.error(.clone, .badDescriptor)) { try file.clone(to: directory["clone"]) }
    #expect(throws: file.error(.lock, at: 0, .badDescriptor)) { try file.lock(0..<1, .shared) }
    #expect(throws: file.error(.lock, at: 0, .badDescriptor)) { try file.unlock(0..<1) }
    #expect(try directory.names == ["file"])
    #expect(file.path == directory["file"])
  }

  #if os(Linux)
    @Test func `a descriptor is closed by the last of those who use it`() throws {
      let path = directory["file"]
      let number = unsafe creat(path, 0o600)
      let descriptor = Descriptor(number)
      #expect(descriptor.borrow() == number)
      #expect(descriptor.borrow() == number)
      #expect(descriptor.close() == nil)
      #expect(descriptor.borrow() == nil)
      #expect(try descriptors(of: path) == [number])
      descriptor.giveBack()
      #expect(descriptor.close() == nil)
      #expect(try descriptors(of: path) == [number])
      descriptor.giveBack()
      #expect(try descriptors(of: path) == [])
      #expect(descriptor.close() == nil)
    }

    @Test func `a closed file, and one that is dropped, leave no descriptor`() throws {
      let file = try disk.open(directory["file"], .create)
      #expect(try descriptors(of: file.path).count == 1)
      try file.close()
      #expect(try descriptors(of: file.path) == [])
      #expect(try disk.open(file.path, .read).byteCount() == 0)
      #expect(try descriptors(of: file.path) == [])
    }
  #endif

  @Test func `readers meet their own file's bytes or bad descriptor while it is closed`() throws {
    let mine = [UInt8](repeating: 0xAA, count: 4_096)
    let path = try directory.write(mine, to: "mine")
    let decoy = try directory.write([UInt8](repeating: 0xDD, count: 4_096), to: "decoy")
    let reads = Atomic(0)
    // Gathered, since an issue that a bare thread records belongs to no test.
    let wrong = Mutex<[String]>([])
    for _ in 0..<300 {
      let file = try disk.open(path, .read)
      let readers = DispatchGroup()
      let started = DispatchSemaphore(value: 0)
      for _ in 0..<3 {
        readers.enter()
        Thread.detachNewThread {
          started.signal()
          while true {
            do throws(DiskError) {
              guard try file.read(4_096, at: 0) == mine else {
                wrong.withLock { $0.append("a reader met the bytes of another file") }
                break
              }
              reads.add(1, ordering: .relaxed)
            } catch {
              if error != file.error(.read, at: 0, .badDescriptor) {
                wrong.withLock { $0.append("\(error)") }
              }
              break
            }
          }
          readers.leave()
        }
      }
      for _ in 0..<3 { started.wait() }
      try file.close()
      // Openings that take the number which has just become free.
      let others = try (0..<4).map { _ in try disk.open(decoy, .read) }
      readers.wait()
      for other in others { try other.close() }
    }
    #expect(wrong.withLock { $0 } == [])
    #expect(reads.load(ordering: .relaxed) > 0)
    #if os(Linux)
      #expect(try descriptors(of: path) == [])
      #expect(try descriptors(of: decoy) == [])
    #endif
  }

  @Test func `once it has returned, closing has released the lock, whoever was inside a call`() throws {
    let path = try directory.write([UInt8](repeating: 0xAA, count: 1 << 20), to: "locked")
    for _ in 0..<100 {
      let file = try disk.open(path, .readWrite)
      #expect(try file.lock(0..<1, .exclusive))
      let readers = DispatchGroup()
      let started = DispatchSemaphore(value: 0)
      for _ in 0..<3 {
        readers.enter()
        Thread.detachNewThread {
          started.signal()
          while (try? file.read(1 << 20, at: 0)) != nil {}
          readers.leave()
        }
      }
      for _ in 0..<3 { started.wait() }
      try file.close()
      let next = try disk.open(path, .readWrite)
      #expect(try next.lock(0..<1, .exclusive))
      readers.wait()
      try next.close()
    }
  }

  @Test func `closed from many threads at once, a file is closed once`() throws {
    for number in 0..<100 {
      let file = try disk.open(directory["file\(number)"], .create)
      let successes = Atomic(0)
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        if (try? file.close()) != nil { successes.add(1, ordering: .relaxed) }
      }
      #expect(successes.load(ordering: .relaxed) == 4)
      #expect(throws: file.error(.byteCount, .badDescriptor)) { try file.byteCount() }
    }
  }
}
