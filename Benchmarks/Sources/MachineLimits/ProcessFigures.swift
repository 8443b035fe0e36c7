internal import BenchmarkHarness
internal import Foundation

/// The memory of this process that belongs to no file: what it has allocated and touched.
package func anonymousByteCount() throws -> Int {
  try figure("status", "how much memory a process has", anonymousByteCount(inStatus:))
}

/// What this process has given the system to write to files: each page that it made dirty, and what went by the cache.
package func writtenByteCount() throws -> Int {
  try figure("io", "what a process writes", writtenByteCount(inCounts:))
}

/// The number of the line `RssAnon:     1234 kB`.
package func anonymousByteCount(inStatus text: String) -> Int? {
  number(of: "RssAnon:", in: text).map { $0 * 1024 }
}

/// The number of the line `write_bytes: 1234`.
package func writtenByteCount(inCounts text: String) -> Int? {
  number(of: "write_bytes:", in: text)
}

/// What a file says in which the system tells of this process.
private func figure(_ file: String, _ meaning: String, _ read: (String) -> Int?) throws -> Int {
  guard let text = try? String(contentsOfFile: "/proc/self/\(file)", encoding: .utf8), let figure = read(text)
  else { throw Unsupported("the system does not tell \(meaning)") }
  return figure
}

/// The first number of the line that begins like this.
private func number(of name: String, in text: String) -> Int? {
  for line in text.split(separator: "\n") where line.hasPrefix(name) {
    return line.split(separator: " ").compactMap { Int($0) }.first
  }
  return nil
}
