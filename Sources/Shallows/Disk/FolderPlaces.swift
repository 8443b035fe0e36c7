public import Foundation

extension DiskFolderStorage {
  /// Where a folder is in a directory of the system's.
  ///
  /// Not every system has every directory: where there is none, it is below the one for applications' own files.
  public static func url(
    forFolder folderName: String, in directory: FileManager.SearchPathDirectory,
    domainMask: FileManager.SearchPathDomainMask = .userDomainMask
  ) -> URL {
    let known = FileManager.default.urls(for: directory, in: domainMask).first
    return (known ?? substitute(for: directory, domainMask)).appendingPathComponent(
      folderName, isDirectory: true)
  }

  /// Directories that are missing have one each in each domain, so that folders of one name stay apart.
  private static func substitute(
    for directory: FileManager.SearchPathDirectory, _ domainMask: FileManager.SearchPathDomainMask
  ) -> URL {
    let support =
      FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? FileManager.default.temporaryDirectory
    let domain = domainMask == .userDomainMask ? "" : "-domain-\(domainMask.rawValue)"
    return support.appendingPathComponent("directory-\(directory.rawValue)\(domain)", isDirectory: true)
  }

  /// A storage of a folder in a directory of the system's, whose files are read and written by a storage of one's own
  /// making.
  public static func inDirectory(
    _ directory: FileManager.SearchPathDirectory, folderName: String,
    domainMask: FileManager.SearchPathDomainMask = .userDomainMask, diskStorage: Storage<URL, Data>,
    filenameEncoder: Filename.Encoder
  ) -> DiskFolderStorage {
    DiskFolderStorage(
      folderURL: url(forFolder: folderName, in: directory, domainMask: domainMask),
      diskStorage: diskStorage, filenameEncoder: filenameEncoder)
  }
}

extension DiskStorage {
  /// A folder in a directory of the system's, whose files the main disk storage reads and writes.
  public static func folder(
    _ folderName: String, in directory: FileManager.SearchPathDirectory,
    domainMask: FileManager.SearchPathDomainMask = .userDomainMask,
    filenameEncoder: Filename.Encoder = .standard
  ) -> DiskFolderStorage {
    main.folder(folderName, in: directory, domainMask: domainMask, filenameEncoder: filenameEncoder)
  }

  /// A folder in a directory of the system's, whose files this storage reads and writes.
  public func folder(
    _ folderName: String, in directory: FileManager.SearchPathDirectory,
    domainMask: FileManager.SearchPathDomainMask = .userDomainMask,
    filenameEncoder: Filename.Encoder = .standard
  ) -> DiskFolderStorage {
    DiskFolderStorage(
      folderURL: DiskFolderStorage.url(forFolder: folderName, in: directory, domainMask: domainMask),
      diskStorage: asStorage(), filenameEncoder: filenameEncoder)
  }
}
