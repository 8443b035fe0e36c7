public import Foundation
internal import Sediment

/// A report on a folder of files that was moved into a store.
public struct FolderImportReport: Sendable, Hashable {
  /// How many values were set.
  public internal(set) var importedCount = 0
  /// How many files had the value that their names had already, as after an import that was interrupted.
  public internal(set) var presentCount = 0
  /// The bytes of the values that were set.
  public internal(set) var byteCount: UInt64 = 0
  /// The files whose names have another value in the store, or one that expires: both the file and the value stay.
  public internal(set) var differingFiles: [URL] = []
  /// The files that have no name in the folder's encoding: they are left where they are.
  public internal(set) var otherFiles: [URL] = []
  /// The files that could not be read: they are left where they are, and the next import tries them again.
  public internal(set) var unreadableFiles: [URL] = []

  /// Creates a report of nothing.
  public init() {}
}

extension SedimentStorage {
  /// Moves the files of a folder into this storage.
  ///
  /// Each file is removed once its name has its data here, on the disk. Interrupted, by whatever it is, it loses nothing, and the next call goes on. If a name has another value here, older
  /// or newer, both stay: the report names the file in `differingFiles`, and the program decides. A file that cannot be
  /// read stays, and does not keep the others from moving. In a store that evicts, imported values may be evicted like any
  /// others.
  ///
  /// Nobody else may use the folder during the call. A folder with an encoder of the user's own cannot tell its names: see
  /// `importing(_:filenames:)`.
  @discardableResult
  public func importing(_ folder: DiskFolderStorage) throws -> FolderImportReport {
    let contents = try folder.contents()
    var importing = FolderImport(try keyspace(), source)
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
    var importing = FolderImport(try keyspace(), source)
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

/// Moves files into a keyspace, some at a time: set, synced, compared, removed.
struct FolderImport {
  /// How many files, and how many bytes of them, wait for one sync.
  static let pendingCountMax = 1_000
  static let pendingByteCountMax = 16 << 20

  /// A file whose data its key had when it was read.
  private struct Taken {
    var key: String
    var data: Data
    var url: URL
  }

  var report = FolderImportReport()
  private let keyspace: SedimentCollection
  private let source: KeyspaceSource
  private var pending: [Taken] = []
  private var pendingByteCount = 0

  init(_ keyspace: SedimentCollection, _ source: KeyspaceSource) {
    self.keyspace = keyspace
    self.source = source
  }

  mutating func move(_ files: some Sequence<(filename: Filename, url: URL)>) throws {
    for (filename, url) in files {
      guard let data = try? Data(contentsOf: url) else {
        report.unreadableFiles.append(url)
        continue
      }
      try take(Taken(key: filename.canonical, data: data, url: url))
      if pending.count == Self.pendingCountMax || pendingByteCount >= Self.pendingByteCountMax {
        try removePending()
      }
    }
    try removePending()
  }

  private mutating func take(_ file: Taken) throws {
    if try keyspace.setIfAbsent(file.data, forKey: file.key, durability: .unsynced) {
      report.importedCount += 1
      report.byteCount += UInt64(file.data.count)
    } else if try isHeld(file) {
      report.presentCount += 1
    } else {
      return report.differingFiles.append(file.url)
    }
    pending.append(file)
    pendingByteCount += file.data.count
  }

  /// Removes the files whose data is on the disk in the keyspace.
  ///
  /// Asked again after the sync, because the store may have evicted a value, or others may have set the key.
  private mutating func removePending() throws {
    guard !pending.isEmpty else { return }
    try keyspace.synced(keeping: source).wait()
    for file in pending {
      if try isHeld(file) { try file.url.removeItem() } else { report.differingFiles.append(file.url) }
    }
    pending = []
    pendingByteCount = 0
  }

  /// Whether a file's key has its data for good; it has not if its value is damaged.
  private func isHeld(_ file: Taken) throws -> Bool {
    do {
      let found = try keyspace.retrieveExpiring(forKey: file.key, as: Data.self)
      return found.map { $0.expiry == .never && $0.value == file.data } ?? false
    } catch let error as SedimentError where error.code == .damaged {
      return false
    }
  }
}
