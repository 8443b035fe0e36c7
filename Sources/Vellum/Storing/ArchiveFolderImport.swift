internal import Foundation
internal import Sediment

/// What a folder with a file for each archive has.
enum ArchiveFolder {
  struct File {
    var key: String
    var url: URL
    /// When it was changed, in milliseconds since 1970.
    var milliseconds: UInt64
  }

  /// The files of archives, those first that were not changed for the longest, and everything else.
  static func contents(of folder: URL, _ name: String) throws -> (files: [File], others: [URL]) {
    guard folder.isFileURL else { throw VellumError.notAFile(folder) }
    let manager = FileManager.default
    guard manager.fileExists(atPath: folder.path) else { return ([], []) }
    do {
      var contents: (files: [File], others: [URL]) = ([], [])
      for fileName in try manager.contentsOfDirectory(atPath: folder.path).sorted() {
        let url = folder.appendingPathComponent(fileName, isDirectory: false)
        if let file = file(fileName, url) { contents.files.append(file) } else { contents.others.append(url) }
      }
      contents.files.sort { ($0.milliseconds, $0.key) < ($1.milliseconds, $1.key) }
      return contents
    } catch {
      throw VellumError.folder(name, error)
    }
  }

  /// The file of an archive; nil if it is something else, such as a link.
  private static func file(_ name: String, _ url: URL) -> File? {
    guard name.hasSuffix(".vlm"),
      let attributes = try? FileManager.default.attributesOfItem(atPath: url.path),
      attributes[.type] as? FileAttributeType == .typeRegular
    else { return nil }
    let time = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
    return File(key: String(name.dropLast(4)), url: url, milliseconds: ArchiveClock.milliseconds(time))
  }
}

/// Takes files of archives into a shelf, and removes each once that is on the disk.
struct ArchiveFolderImport {
  /// How many files, and how many bytes of them, wait for one sync.
  private static let pendingCountMax = 1_000
  private static let pendingByteCountMax = 16 << 20

  private(set) var report = ArchivesImportReport()
  /// What failed of files that stay.
  private(set) var failures: [VellumFailure] = []
  private let shelf: ArchiveShelf
  private let moves: Bool
  private var pending: [(file: ArchiveFolder.File, data: Data)] = []
  private var pendingByteCount = 0

  init(_ shelf: ArchiveShelf, moves: Bool) {
    self.shelf = shelf
    self.moves = moves
  }

  mutating func take(
    _ contents: (files: [ArchiveFolder.File], others: [URL]),
    _ progress: (ArchivesImportReport, Int) throws -> Void
  ) throws {
    report.otherFiles = contents.others
    for file in contents.files {
      if let data = leaving(file.url, { try Data(contentsOf: file.url) }) { try take(file, data) }
      if pending.count == Self.pendingCountMax || pendingByteCount >= Self.pendingByteCountMax {
        try removePending()
      }
      try progress(report, contents.files.count)
    }
    try removePending()
  }

  private mutating func take(_ file: ArchiveFolder.File, _ data: Data) throws {
    switch try shelf.lock.withLock({ try shelf.insert(file.key, data, file.milliseconds) }) {
    case .inserted:
      report.importedCount += 1
      report.byteCount += UInt64(data.count)
    case .present: report.presentCount += 1
    case .refused:
      report.otherFiles.append(file.url)
      return
    }
    pending.append((file, data))
    pendingByteCount += data.count
  }

  private mutating func removePending() throws {
    do {
      if !pending.isEmpty { try shelf.store.sync() }
    } catch {
      throw VellumError.store(shelf.name, error)
    }
    if moves {
      for (file, data) in pending {
        // Others may have recorded or deleted it since.
        let isHeld = try shelf.lock.withLock { try shelf.has(file.key, data) }
        if isHeld {
          leaving(file.url) { try FileManager.default.removeItem(at: file.url) }
        } else {
          report.otherFiles.append(file.url)
        }
      }
    }
    pending = []
    pendingByteCount = 0
  }

  /// Does something with a file; if that fails, the file stays.
  @discardableResult
  private mutating func leaving<Result>(_ url: URL, _ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      report.otherFiles.append(url)
      failures.append(
        VellumFailure(archiveName: shelf.name, operation: .importing, error: .file(shelf.name)))
      return nil
    }
  }
}
