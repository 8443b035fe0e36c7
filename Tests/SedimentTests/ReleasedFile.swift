import Foundation
import SedimentDisk
import SedimentTesting

/// A file that a released version wrote, as text that nobody changes.
///
/// The first line is the file's length. Then comes each run of bytes that are not zero: its offset behind `@`, and lines
/// of Base64.
struct ReleasedFile: Sendable {
  struct Unreadable: Error {}

  private let text: String

  init(_ text: String) { self.text = text }

  /// A disk that has the file, and nothing else.
  func disk(at path: String) throws -> SimulatedDisk {
    let disk = SimulatedDisk(seed: 1)
    let file = try disk.open(path, .create)
    let bytes = try bytes()
    try file.write(unsafe bytes.span.bytes, at: 0)
    try file.sync()
    try disk.syncDirectory(of: path)
    try file.close()
    return disk
  }

  private func bytes() throws -> [UInt8] {
    let runs = text.split(separator: "@")
    guard let first = runs.first, let count = Int(first.filter { !$0.isNewline }) else { throw Unreadable() }
    var bytes = [UInt8](repeating: 0, count: count)
    for run in runs.dropFirst() {
      let lines = run.split(whereSeparator: \.isNewline)
      guard let place = lines.first.flatMap({ Int($0) }),
        let data = Data(base64Encoded: lines.dropFirst().joined())
      else { throw Unreadable() }
      bytes.replaceSubrange(place..<place + data.count, with: data)
    }
    return bytes
  }
}
