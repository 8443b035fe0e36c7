internal import Foundation
internal import Sediment
internal import Shallows

/// A folder of `DiskFolderStorage`, a file a key, that goes into a store.
struct FolderSource {
  private let folder: DiskFolderStorage
  private let path: String

  /// What became of the files.
  struct Report {
    var importedCount = 0
    /// Files whose keys had a value, which stayed.
    var presentCount = 0
    /// Files that were to be moved and stay, because their keys have other values.
    var differingCount = 0
    var otherCount = 0
    var byteCount: UInt64 = 0
  }

  /// How names are made of keys.
  static let encodings = ["base64", "base64url", "none"]

  init(_ path: String, encoding: String) {
    self.path = path
    let encoder: Filename.Encoder =
      switch encoding {
      case "base64url": .base64URL
      case "none": .noEncoding
      default: DiskFolderStorage(folderURL: URL(fileURLWithPath: path)).filenameEncoder
      }
    folder = DiskFolderStorage(
      folderURL: URL(fileURLWithPath: path, isDirectory: true), filenameEncoder: encoder)
  }

  /// How many files are moved at a time, between looks at signals.
  private static let pieceCount = 256

  /// Copies the files into a keyspace, or moves them: then each goes once its data is on the disk in the store.
  func run(
    into store: SedimentStore, collection: String?, moves: Bool, _ show: (Report, _ totalCount: Int) -> Void
  ) throws -> Report {
    let contents = try attempt { try folder.contents() }
    let files = contents.files.sorted { $0.filename.rawValue < $1.filename.rawValue }
    var report = Report()
    report.otherCount = contents.others.count
    var unreadable: [URL] = []
    let keys = try collection.map { try store.collection($0) } ?? store.defaultCollection
    for start in stride(from: 0, to: files.count, by: Self.pieceCount) {
      let piece = files[start..<min(start + Self.pieceCount, files.count)]
      if moves {
        try Signals.check()
        let moved = try attempt {
          try SedimentStorage(store, collection: collection).importing(
            folder, filenames: piece.map(\.filename))
        }
        report.importedCount += moved.importedCount
        report.presentCount += moved.presentCount + moved.differingFiles.count
        report.differingCount += moved.differingFiles.count
        report.byteCount += moved.byteCount
        unreadable += moved.unreadableFiles
      } else {
        for file in piece { try copy(file, to: keys, &report) }
      }
      show(report, files.count)
    }
    if let first = unreadable.first {
      throw ToolFailure(
        .inputOutput,
        "\(unreadable.count) files cannot be read and stay where they are, the first of them \(first.path)")
    }
    return report
  }

  private func copy(
    _ file: (filename: Filename, url: URL), to keys: SedimentCollection, _ report: inout Report
  ) throws {
    try Signals.check()
    if try keys.contains(file.filename.rawValue) {
      report.presentCount += 1
      return
    }
    let data = try attempt { try Data(contentsOf: file.url) }
    try keys.set(data, forKey: file.filename.rawValue)
    report.importedCount += 1
    report.byteCount += UInt64(data.count)
  }

  /// Says of Foundation's errors what they mean.
  private func attempt<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as CocoaError {
      throw ToolFailure(.inputOutput, "\(error.filePath ?? path): \(error.localizedDescription)")
    }
  }
}
