internal import CZstd
import FuzzStores
import Foundation
import Sediment
import SedimentTesting
import Testing

/// A file that `Tests/ReleasedFiles` made with a released version, and what it holds; nobody changes either.
struct KeptFile: Sendable, CustomTestStringConvertible {
  /// The folder, which is the version's name.
  let version: String
  let name: String
  /// Whether its store was closed.
  var wasClosed = true
  /// What the segments of its catalogue are for.
  let kinds: Set<SedimentSegment.Kind>
  /// Whether values in it need a dictionary.
  var hasDictionaries = false
  /// The capacity under which it was written.
  var capacity = SedimentCapacity.unlimited

  var testDescription: String { "\(version)/\(name)" }

  /// The bytes that its file may have; nil for any number.
  var byteCountMax: UInt64? {
    switch capacity {
    case .unlimited: nil
    case .limited(let byteCount), .evicting(let byteCount): byteCount
    }
  }

  static let all = [
    KeptFile(version: "0.1.0", name: "plain", kinds: [.hot, .extent]),
    KeptFile(version: "0.1.0", name: "emptied", kinds: [.hot]),
    KeptFile(version: "0.1.0", name: "collections", kinds: [.hot]),
    KeptFile(version: "0.1.0", name: "expiring", kinds: [.hot, .extent]),
    KeptFile(
      version: "0.1.0", name: "evicting", kinds: [.hot, .survivors, .window],
      capacity: .evicting(maxBytes: 1 << 20)),
    KeptFile(
      version: "0.1.0", name: "full", wasClosed: false, kinds: [.hot], capacity: .limited(maxBytes: 1 << 20)),
    KeptFile(version: "0.1.0", name: "large", kinds: [.hot, .extent]),
    KeptFile(
      version: "0.1.0", name: "scattered", kinds: [.hot, .extent, .window],
      capacity: .limited(maxBytes: 4 << 20)),
    KeptFile(
      version: "0.1.0", name: "dictionary", kinds: [.hot, .survivors, .window], hasDictionaries: true),
    KeptFile(version: "0.1.0", name: "window", kinds: [.hot, .survivors, .window]),
    KeptFile(version: "0.1.0", name: "window-killed", wasClosed: false, kinds: [.hot, .survivors, .window]),
    KeptFile(version: "0.1.0", name: "power-lost", wasClosed: false, kinds: [.hot]),
    KeptFile(version: "0.1.0", name: "batch-cut", wasClosed: false, kinds: [.hot]),
    KeptFile(version: "0.1.0", name: "stored-index", kinds: [.hot, .index]),
    KeptFile(
      version: "0.1.0", name: "stored-index-killed", wasClosed: false, kinds: [.hot, .index]),
    KeptFile(version: "0.1.0", name: "backup", kinds: [.hot, .survivors, .window]),
  ]

  /// The names of all files that are kept of a version.
  static func names(of version: String) throws -> Set<String> {
    let folder = try #require(Bundle.module.url(forResource: "Released/\(version)", withExtension: nil))
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return Set(files.map { String($0.prefix { $0 != "." }) })
  }

  /// A disk that has the file alone, and the time at which it was left.
  func disk(at path: String) throws -> SimulatedDisk {
    let disk = SimulatedDisk(
      SimulatedDiskOptions(seed: 1, fileByteCountMax: 128 << 20, wallClock: try manifest().clock))
    disk.install(try bytes("store"), at: path)
    return disk
  }

  /// What the file holds, with what had expired when it was left, and when that was.
  func manifest() throws -> (contents: StoreContents, clock: UInt64) {
    var contents = StoreContents()
    var clock: UInt64 = 0
    var collection = ""
    for line in String(decoding: try bytes("contents"), as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      switch words[0] {
      case "clock": clock = try #require(UInt64(words[1]))
      case "collection":
        collection = String(decoding: try data(words[1]), as: UTF8.self)
        contents.collections[collection] = [:]
      default:
        contents.collections[collection]?[try data(words[1])] = StoreContents.Entry(
          value: try data(words[3]), expiry: try #require(UInt64(words[2])))
      }
    }
    return (contents, clock)
  }

  private func data(_ word: Substring) throws -> [UInt8] {
    word == "-" ? [] : [UInt8](try #require(Data(base64Encoded: String(word))))
  }

  private func bytes(_ kind: String) throws -> [UInt8] {
    let url = try #require(
      Bundle.module.url(forResource: "Released/\(version)/\(name).\(kind)", withExtension: "zst"))
    let packed = [UInt8](try Data(contentsOf: url))
    let count = unsafe packed.withUnsafeBytes { unsafe ZSTD_getFrameContentSize($0.baseAddress, $0.count) }
    return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { buffer, filled in
      // The buffer has as many bytes as the frame says.
      filled = unsafe packed.withUnsafeBytes { packed in
        unsafe ZSTD_decompress(buffer.baseAddress, buffer.count, packed.baseAddress, packed.count)
      }
    }
  }
}
