import Foundation
import SedimentDisk
import SedimentSupport
import SedimentTesting

/// A file that a released version wrote: a text in the folder `Released`, which nobody changes.
///
/// The first line is the file's length. Then comes each run of bytes that are not zero: its offset behind `@`, and lines
/// of Base64.
struct ReleasedFile: Sendable {
  /// It was closed in order, after compaction: a dictionary, survivors, an extent, collections, a batch.
  static let closedBy0_1_0 = ReleasedFile(name: "0.1.0-closed")
  /// Its process was killed: a log of two segments whose end was not synced.
  static let killedBy0_1_0 = ReleasedFile(name: "0.1.0-killed")

  private let name: String

  private struct Unreadable: Error {}

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
    guard let url = Bundle.module.url(forResource: name, withExtension: "txt", subdirectory: "Released")
    else {
      throw Unreadable()
    }
    let runs = try String(contentsOf: url, encoding: .utf8).split(separator: "@")
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
