import Foundation
import MachineLimits
import Synchronization
import Testing

@Suite(.serialized) struct ProcessorTests {
  @Test func `threads share one processor while a closure runs, those of before, too, and have theirs again`()
    throws
  {
    let before = Processors.count
    guard before > 0 else { return }
    // A thread that was there before says how many processors it has whenever it is asked.
    let (asked, answered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let counts = Mutex<[Int]>([])
    let thread = Thread {
      for _ in 0..<2 {
        asked.wait()
        counts.withLock { $0.append(Processors.count) }
        answered.signal()
      }
    }
    thread.start()
    let inside = try Processors.onOne {
      asked.signal()
      answered.wait()
      return Processors.count
    }
    asked.signal()
    answered.wait()
    #expect(inside == 1)
    #expect(counts.withLock { $0 } == [1, before])
    #expect(Processors.count == before)
  }

  @Test func `the counts of a block device are understood`() {
    let text =
      "  182389     5103 11302538   189321   295114   391244  8123456  1023441        0   401288  1212763 0 0 0 0\n"
    #expect(writtenByteCount(inDeviceCounts: text) == 8_123_456 * 512)
    #expect(writtenByteCount(inDeviceCounts: "1 2 3") == nil)
    #expect(deviceNumbers(0x10203) == (0x102, 0x3))
  }

  @Test func `what is written shows, by the process and by the device`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let writing = WrittenBytes(folder: folder.path)
    let byteCount = 4 << 20
    try Data(repeating: 7, count: byteCount).write(to: folder.appending(path: "file"))
    let written = writing.end()
    if let byProcess = written.byProcess { #expect(byProcess >= byteCount) }
    if let byDevice = written.byDevice { #expect(byDevice >= byteCount) }
  }
}
