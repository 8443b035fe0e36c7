public import Foundation

/// What became of a folder of files that were moved into archives.
public struct ArchivesImportReport: Sendable, Hashable {
  /// How many archives were recorded.
  public internal(set) var importedCount = 0
  /// How many files had archives that were there already, as after an import that was interrupted.
  public internal(set) var presentCount = 0
  /// The bytes of the archives that were recorded.
  public internal(set) var byteCount: UInt64 = 0
  /// What stays where it is: what is no file of an archive or could not be read or removed, files whose keys have other
  /// archives, older or newer, and what would make others go.
  public internal(set) var otherFiles: [URL] = []

  /// Creates a report of nothing.
  public init() {}
}

extension ArchivesFactory {
  /// Moves a folder with a file `KEY.vlm` for each archive, which has its data, into the archives of a name.
  ///
  /// Without a name they become those of the type whose folder it is in the original: the folder `vellum_user` becomes
  /// the archives of the type `User`, and `vellum_v_2_user` those of `V2User`. Each file is removed once its archive is on
  /// the disk. When a file was changed counts as the time of its last use; in the order of uses it comes after all that is
  /// there. If a key has another archive, older or newer, both the archive and the file stay, and the report names the
  /// file. Interrupted, by whatever it is, that loses nothing, and the next call goes on. A folder that is not there has no
  /// files. Nobody else may use the folder during the call.
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
    let contents = try ArchiveFolder.contents(of: folder, archiveName ?? folderName)
    let place = try place()
    let importing = try place.withShelf(
      named: { try archiveName.map { ImportName(text: $0) } ?? place.importName(ofFolder: folderName) },
      observer: failures
    ) { shelf in
      var importing = ArchiveFolderImport(shelf, moves: moves)
      try importing.take(contents, progress)
      return importing
    }
    for failure in importing.failures { failures.tell(failure) }
    return importing.report
  }
}
