public import Foundation

/// What became of a folder of files that were moved into archives.
public struct ArchivesImportReport: Sendable, Hashable {
  /// How many archives were recorded.
  public internal(set) var importedCount = 0
  /// How many files had keys whose archives were there already, and no older.
  public internal(set) var presentCount = 0
  /// The bytes of the archives that were recorded.
  public internal(set) var byteCount: UInt64 = 0
  /// What stays where it is: what is no file of an archive or could not be read or removed, what is newer than the
  /// archive of its key, and what would make others go.
  public internal(set) var otherFiles: [URL] = []

  /// Creates a report of nothing.
  public init() {}
}

extension ArchivesFactory {
  /// Moves a folder with a file `KEY.vlm` for each archive, which has its data, into the archives of a name.
  ///
  /// Without a name it is that of the folder, without `vellum_` at its beginning: so the folder `vellum_user` becomes the
  /// archives of the type `User`. Each file goes once its archive is on the disk, unless another process has the file of
  /// the archives and those of this run are gone with it. When a file was changed counts as the time of its last use; in
  /// the order of uses it comes behind all that is there. Interrupted, by whatever it is, that loses nothing, and the next
  /// call goes on. A folder that is not there has no files. Nobody else may use the folder meanwhile.
  ///
  /// Call it before the archives are asked for: then all files find room, and the sizes count from then on.
  @discardableResult
  public func importing(folder: URL, as archiveName: String? = nil) throws -> ArchivesImportReport {
    try importing(folder: folder, as: archiveName, moves: true) { _, _ in }
  }

  /// The same, for a command that may leave the files where they are; `progress` is told of each file, with how many
  /// there are, and throws to stop.
  package func importing(
    folder: URL, as archiveName: String?, moves: Bool,
    _ progress: (_ report: ArchivesImportReport, _ totalCount: Int) throws -> Void
  ) throws -> ArchivesImportReport {
    let folderName = folder.standardizedFileURL.lastPathComponent
    let name = archiveName ?? String(folderName.dropFirst(folderName.hasPrefix("vellum_") ? 7 : 0))
    let contents = try ArchiveFolder.contents(of: folder, name)
    let place = try place(for: name)
    let importing = try place.withShelf(named: name, observer: failures) { shelf in
      // Files stay where archives are gone with the process.
      var importing = ArchiveFolderImport(shelf, moves: moves && !place.isOfThisRun)
      try importing.take(contents, progress)
      return importing
    }
    for failure in importing.failures { failures.tell(failure) }
    return importing.report
  }
}
