import Foundation
import MachineLimits
import Testing

@Suite struct FileScanTests {
  @Test(arguments: [0, 1, 1 << 20, 3 << 20 | 17])
  func `a file is read to its end, and takes whole blocks`(byteCount: Int) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(repeating: 1, count: byteCount).write(to: URL(fileURLWithPath: path))
    let scan = try FileScan(path: path)
    #expect(try scan.read() == byteCount)
    #expect(try scan.allocatedByteCount() >= byteCount)
    #expect(try scan.allocatedByteCount().isMultiple(of: 512))
  }

  @Test(arguments: [0, 1, 1 << 20, 3 << 20 | 17])
  func `a copy of a file has its bytes`(byteCount: Int) throws {
    let folder = FileManager.default.temporaryDirectory
    let path = folder.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let data = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 >> 13 &+ $0) })
    try data.write(to: URL(fileURLWithPath: path))
    let name = UUID().uuidString
    let target = try ScratchFile(name, in: folder.path)
    #expect(try FileScan(path: path).copy(to: target) == byteCount)
    let copy = try withExtendedLifetime(target) { try Data(contentsOf: folder.appending(path: name)) }
    #expect(copy == data)
  }

  @Test(arguments: [(0, 0), (1 << 20, 1 << 20), (1_000_123, 1_000_064)])
  func `each record of a file gets an entry, be they all the same`(byteCount: Int, wholeByteCount: Int) throws
  {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(repeating: 0, count: byteCount).write(to: URL(fileURLWithPath: path))
    #expect(try FileScan(path: path).index(recordByteCount: 64, threadCount: 2) == wholeByteCount)
  }

  @Test func `a file that is not there is an error that names it`() {
    let error = #expect(throws: SystemFailure.self) { try FileScan(path: "/nowhere/at-all") }
    #expect(error?.call == "opening /nowhere/at-all")
  }

  @Test(arguments: [
    ("VmRSS:\t 10 kB\nRssAnon:\t     144 kB\nRssFile:\t 3 kB", 144 * 1024), ("VmRSS:\t 10 kB", nil),
  ])
  func `anonymous memory is a line of the process's status`(text: String, byteCount: Int?) {
    #expect(anonymousByteCount(inStatus: text) == byteCount)
  }

  @Test(arguments: [
    ("wchar: 7\nread_bytes: 1\nwrite_bytes: 4096\ncancelled_write_bytes: 2\n", 4096), ("wchar: 7\n", nil),
  ])
  func `what a process has given the system to write is one of its counts`(text: String, byteCount: Int?) {
    #expect(writtenByteCount(inCounts: text) == byteCount)
  }
}
