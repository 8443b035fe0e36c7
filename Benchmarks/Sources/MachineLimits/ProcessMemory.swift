internal import BenchmarkHarness
internal import Foundation

/// The memory of this process that belongs to no file: what it has allocated and touched.
package func anonymousByteCount() throws -> Int {
  guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
    let byteCount = anonymousByteCount(inStatus: text)
  else { throw Unsupported("the system does not tell how much memory a process has") }
  return byteCount
}

/// The number of the line `RssAnon:     1234 kB`.
package func anonymousByteCount(inStatus text: String) -> Int? {
  for line in text.split(separator: "\n") where line.hasPrefix("RssAnon:") {
    return line.split(separator: " ").compactMap { Int($0) }.first.map { $0 * 1024 }
  }
  return nil
}
