import Foundation
import SedimentDisk
import Testing

@Suite struct MappingTests {
  let directory: TemporaryDirectory
  let file: any DiskFile

  init() throws {
    directory = try TemporaryDirectory()
    file = try disk.open(directory["file"], .create)
    try file.allocate(0..<8 * page)
  }

  @Test func `a write is seen through the mapping, and a store by a read`() throws {
    let mapping = try file.reserveMapping(byteCount: 8 * page)
    try mapping.expose(0..<8 * page, writable: true)
    try file.write([1, 2, 3], at: page - 1)
    #expect(mapping.bytes(page - 2..<page + 3) == [0, 1, 2, 3, 0])
    mapping.store([7, 8], at: 3 * page - 1)
    #expect(try file.read(4, at: 3 * page - 2) == [0, 7, 8, 0])
    try file.sync()
    #expect(try disk.open(file.path, .read).read(2, at: 3 * page - 1) == [7, 8])
  }

  @Test func `address n of the mapping is byte n of the file, whatever is exposed first`() throws {
    try file.write(pattern(Int(8 * page)), at: 0)
    let mapping = try file.reserveMapping(byteCount: 8 * page)
    try mapping.expose(5 * page..<6 * page, writable: false)
    try mapping.expose(2 * page..<3 * page, writable: true)
    let expected = pattern(Int(8 * page))
    for range in [5 * page..<6 * page, 2 * page..<3 * page] {
      #expect(mapping.bytes(range) == Array(expected[Int(range.lowerBound)..<Int(range.upperBound)]))
    }
  }

  @Test func `exposing again changes whether stores are allowed and keeps the bytes`() throws {
    let mapping = try file.reserveMapping(byteCount: 8 * page)
    try mapping.expose(0..<page, writable: false)
    try mapping.expose(0..<page, writable: true)
    mapping.store([4], at: 0)
    try mapping.expose(0..<page, writable: false)
    #expect(mapping.bytes(0..<2) == [4, 0])
  }

  @Test func `a concealed range can be exposed again`() throws {
    let mapping = try file.reserveMapping(byteCount: 8 * page)
    try mapping.expose(0..<2 * page, writable: true)
    mapping.store([4], at: 0)
    try mapping.conceal(0..<page)
    #expect(mapping.bytes(page..<page + 1) == [0])
    try file.write([5], at: 1)
    try mapping.expose(0..<page, writable: false)
    #expect(mapping.bytes(0..<3) == [4, 5, 0])
  }

  @Test func `addresses beyond the file can be reserved, and exposed once it has grown`() throws {
    let mapping = try file.reserveMapping(byteCount: 1 << 40)
    #expect(mapping.byteCount == 1 << 40)
    try file.allocate(100 * page..<101 * page)
    try mapping.expose(100 * page..<101 * page, writable: true)
    mapping.store([6], at: 100 * page)
    #expect(try file.read(2, at: 100 * page) == [6, 0])
  }

  @Test func `a reservation is rounded up to whole pages`() throws {
    #expect(try file.reserveMapping(byteCount: 0).byteCount == page)
    #expect(try file.reserveMapping(byteCount: 1).byteCount == page)
    #expect(try file.reserveMapping(byteCount: page).byteCount == page)
    #expect(try file.reserveMapping(byteCount: page + 1).byteCount == 2 * page)
  }

  @Test func `a reservation larger than all addresses fails`() throws {
    #expect(throws: file.error(.map, .noMemory)) { try file.reserveMapping(byteCount: 1 << 62) }
    for byteCount in [UInt64(Int64.max), .max] {
      #expect(throws: file.error(.map, .invalidArgument)) { try file.reserveMapping(byteCount: byteCount) }
    }
  }

  @Test func `empty ranges are nothing`() throws {
    let mapping = try file.reserveMapping(byteCount: page)
    try mapping.expose(0..<0, writable: true)
    try mapping.conceal(page..<page)
  }

  @Test func `a file opened for reading is mapped for reading alone`() throws {
    try file.write([1, 2], at: 0)
    let reader = try disk.open(file.path, .read)
    let mapping = try reader.reserveMapping(byteCount: page)
    #expect(throws: reader.error(.map, at: 0, .accessDenied)) { try mapping.expose(0..<page, writable: true) }
    try mapping.expose(0..<page, writable: false)
    #expect(mapping.bytes(0..<2) == [1, 2])
  }

  @Test func `a mapping outlives its file, but nothing more can be exposed`() throws {
    try file.write([1, 2], at: 0)
    let mapping = try file.reserveMapping(byteCount: 2 * page)
    try mapping.expose(0..<page, writable: true)
    try file.close()
    mapping.store([3], at: 1)
    #expect(mapping.bytes(0..<3) == [1, 3, 0])
    #expect(throws: file.error(.map, at: page, .badDescriptor)) {
      try mapping.expose(page..<2 * page, writable: false)
    }
    try mapping.conceal(page..<2 * page)
    #expect(try disk.open(file.path, .read).read(3, at: 0) == [1, 3, 0])
  }

  @Test func `a mapping outlives a file that was dropped or removed`() throws {
    let mapping = try disk.open(file.path, .readWrite).reserveMapping(byteCount: page)
    #expect(throws: file.error(.map, at: 0, .badDescriptor)) { try mapping.expose(0..<page, writable: false) }
    let second = try file.reserveMapping(byteCount: page)
    try second.expose(0..<page, writable: false)
    try disk.remove(file.path)
    try file.write([8], at: 0)
    #expect(second.bytes(0..<1) == [8])
  }

  #if os(Linux)
    @Test func `a released mapping leaves nothing behind`() throws {
      func mappedRanges() throws -> Int {
        // In as many reads as it takes: the system gives it in pieces, and tells no length.
        let maps = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps")).readToEnd()
        return String(decoding: maps ?? Data(), as: UTF8.self).split(separator: "\n")
          .filter { $0.hasSuffix(file.path) }.count
      }
      do {
        let mapping = try file.reserveMapping(byteCount: 8 * page)
        try mapping.expose(0..<page, writable: true)
        try mapping.expose(3 * page..<4 * page, writable: false)
        #expect(try mappedRanges() == 2)
        try mapping.conceal(0..<page)
        #expect(try mappedRanges() == 1)
      }
      #expect(try mappedRanges() == 0)
      try file.close()
      #expect(try descriptors(of: file.path) == [])
    }
  #endif

  #if os(Linux)
    @Test func `touching what is not exposed is fatal`() async throws {
      await #expect(processExitsWith: .signal(SIGSEGV)) {
        let directory = try TemporaryDirectory()
        let file = try disk.open(directory["file"], .create)
        try file.allocate(0..<page)
        let mapping = try file.reserveMapping(byteCount: page)
        try disk.remove(file.path)
        try FileManager.default.removeItem(atPath: directory.path)
        exit(Int32(mapping.bytes(0..<1)[0]))
      }
    }

    @Test func `a range that is not aligned to pages is a bug`() async throws {
      await #expect(processExitsWith: .failure) {
        let directory = try TemporaryDirectory()
        let file = try disk.open(directory["file"], .create)
        let mapping = try file.reserveMapping(byteCount: page)
        try disk.remove(file.path)
        try FileManager.default.removeItem(atPath: directory.path)
        try mapping.conceal(0..<1)
        exit(0)
      }
    }
  #endif
}
