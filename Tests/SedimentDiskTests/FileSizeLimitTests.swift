import Foundation
import SedimentDisk
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The limit that a process has for the size of files, beyond which the system ends it with a signal.
struct FileSizeLimitTests {
  @Test func `What would make a file too large for the process is an error and no signal`() async throws {
    await #expect(processExitsWith: .exitCode(7)) {
      let directory = try TemporaryDirectory()
      let file = try disk.open(directory["file"], .create)
      try file.write([1], at: 0)
      limitFileSize(100_000)
      let second = try disk.open(directory["second"], .create)
      for file in [file, second] {
        #expect(throws: file.error(.truncate, at: 100_001, .fileTooLarge)) { try file.truncate(to: 100_001) }
        #expect(throws: file.error(.allocate, at: 0, .fileTooLarge)) { try file.allocate(0..<100_001) }
        #expect(throws: file.error(.write, at: 99_999, .fileTooLarge)) { try file.write([1, 2], at: 99_999) }
        #expect(throws: file.error(.write, at: 200_000, .fileTooLarge)) { try file.write([1], at: 200_000) }
        try file.write([1, 2], at: 99_998)
        try file.allocate(0..<100_000)
        try file.truncate(to: 100_000)
        #expect(try file.byteCount() == 100_000)
      }
      limitFileSize(300_000)
      try file.allocate(0..<300_000)
      try file.write([1], at: 299_999)
      try second.write([1], at: 299_999)
      try FileManager.default.removeItem(atPath: directory.path)
      exit(7)
    }
  }
}

/// Sets the limit of this process, though never above the one that it cannot raise.
private func limitFileSize(_ byteCount: Int) {
  var limit = rlimit()
  #if os(Linux) && !canImport(Musl)
    let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
  #else
    let resource = RLIMIT_FSIZE
  #endif
  precondition(unsafe getrlimit(resource, &limit) == 0)
  limit.rlim_cur = rlim_t(byteCount)
  precondition(unsafe setrlimit(resource, &limit) == 0)
}
