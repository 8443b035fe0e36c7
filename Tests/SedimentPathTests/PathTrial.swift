import Foundation
import Sediment
import SedimentSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// All paths of the table for one way in.
struct PathTrial {
  let way: String
  let directory: StoreDirectory
  /// A closed store with the key "key", which is backed up, salvaged and copied.
  let source: String

  init(_ way: String) throws {
    self.way = way
    directory = try StoreDirectory()
    source = directory["source"]
    let store = try SedimentStore(path: source)
    try store.set("value", forKey: "key")
    try store.close()
  }

  /// Takes the way to every path, and holds what comes of it against the table: first the word that the body returns,
  /// nil for success, then what changed on the disk.
  ///
  /// `word` says what the way calls an error of the table.
  func run(
    but leftOut: Set<String> = [], calling word: (String) -> String = { $0 },
    _ body: (_ path: String, _ folder: PathFolder) throws -> String?
  ) throws {
    let table = try PathTable()
    let store = [UInt8](try Data(contentsOf: URL(fileURLWithPath: source)))
    for (number, (path, expected)) in zip(table.paths, table.outcomes(of: way)).enumerated()
    where expected != "-" && !leftOut.contains(path) {
      let folder = try PathFolder(in: directory.path, number: number, store: store)
      let expected = expected.split(separator: ",").map { word(String($0)) }.joined(separator: ",")
      let found = try outcome(of: path, in: folder, body)
      // What the process of a test says of an issue is its comment alone.
      #expect(found == expected, "\(way) \(path): \(found), not \(expected)")
      try folder.remove()
    }
    _ = unsafe chdir("/")
  }

  private func outcome(
    of name: String, in folder: PathFolder, _ body: (String, PathFolder) throws -> String?
  ) throws -> String {
    let before = try folder.snapshot()
    let descriptorCount = PathFolder.descriptorCount
    var words = [try body(try folder.path(named: name), folder)].compactMap(\.self)
    if PathFolder.descriptorCount != descriptorCount { words.append("descriptor") }
    words += PathFolder.changes(from: before, to: try folder.snapshot())
    return words.isEmpty ? "ok" : words.joined(separator: ",")
  }
}
