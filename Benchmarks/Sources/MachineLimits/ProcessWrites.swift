internal import BenchmarkHarness
internal import Foundation

/// What this process has given the system to write to files: each page that it made dirty, and what went by the cache.
package func writtenByteCount() throws -> Int {
  guard let text = try? String(contentsOfFile: "/proc/self/io", encoding: .utf8),
    let byteCount = writtenByteCount(inCounts: text)
  else { throw Unsupported("the system does not tell what a process writes") }
  return byteCount
}

/// The number of the line `write_bytes: 1234`.
package func writtenByteCount(inCounts text: String) -> Int? {
  for line in text.split(separator: "\n") where line.hasPrefix("write_bytes:") {
    return line.split(separator: " ").compactMap { Int($0) }.first
  }
  return nil
}
