public import Foundation
internal import Sediment

/// What became of a folder of files that was moved into a store.
public struct FolderImportReport: Sendable, Hashable {
  /// How many values were set.
  public internal(set) var importedCount = 0
  /// How many files' names had a value already, which stayed: it was imported before, or is newer.
  public internal(set) var presentCount = 0
  /// The bytes of the values that were set.
  public internal(set) var byteCount: UInt64 = 0
  /// The files that have no name in the folder's encoding: they are left where they are.
  public internal(set) var otherFiles: [URL] = []
  /// The files that could not be read: they are left where they are, and the next import tries them again.
  public internal(set) var unreadableFiles: [URL] = []

  /// Creates a report of nothing.
  public init() {}
}

extension SedimentStorage {
  /// Moves what is in a folder of files into this storage: each file goes once its data is on the disk here.
  ///
  /// Interrupted, by whatever it is, it loses nothing, and the next call goes on. Names that have a value here keep it.
  /// A file that cannot be read stays, and does not keep the others from moving.
  /// Nobody else may use the folder meanwhile. A folder with an encoder of the user's own cannot tell its names: see
  /// `importing(_:filenames:)`.
  @discardableResult
  public func importing(_ folder: DiskFolderStorage) throws -> FolderImportReport {
    let contents = try folder.contents()
    var importing = FolderImport(try keyspace())
    importing.report.otherFiles = contents.others
    try importing.move(contents.files)
    return importing.report
  }

  /// Moves the files of some names into this storage, whatever the folder's encoder; names without a file in the folder
  /// are passed over, and so are those that can have none, as `../name`.
  @discardableResult
  public func importing(
    _ folder: DiskFolderStorage, filenames: some Sequence<Filename>
  ) throws -> FolderImportReport {
    var importing = FolderImport(try keyspace())
    var seen: Set<Filename> = []
    try importing.move(
      filenames.lazy.compactMap { filename in
        guard seen.insert(filename).inserted,
          let url = try? folder.checkedURL(forFilename: filename), (try? url.isRegularFile) == true
        else { return nil }
        return (filename, url)
      })
    return importing.report
  }
}

/// Moves files into a keyspace, some at a time: set, synced, removed.
struct FolderImport {
  /// How many files, and how many bytes of them, wait for one sync.
  static let pendingCountMax = 1_000
  static let pendingByteCountMax = 16 << 20

  var report = FolderImportReport()
  private let keyspace: SedimentCollection
  private var pending: [URL] = []
  private var pendingByteCount = 0

  init(_ keyspace: SedimentCollection) { self.keyspace = keyspace }

  mutating func move(_ files: some Sequence<(filename: Filename, url: URL)>) throws {
    for (filename, url) in files {
      guard let data = try? Data(contentsOf: url) else {
        report.unreadableFiles.append(url)
        continue
      }
      if try keyspace.setIfAbsent(data, forKey: filename.canonical, durability: .unsynced) {
        report.importedCount += 1
        report.byteCount += UInt64(data.count)
      } else {
        report.presentCount += 1
      }
      pending.append(url)
      pendingByteCount += data.count
      if pending.count == Self.pendingCountMax || pendingByteCount >= Self.pendingByteCountMax {
        try removePending()
      }
    }
    try removePending()
  }

  /// What is removed is on the disk in the keyspace before.
  private mutating func removePending() throws {
    guard !pending.isEmpty else { return }
    try keyspace.synced().wait()
    for url in pending { try url.removeItem() }
    pending = []
    pendingByteCount = 0
  }
}
