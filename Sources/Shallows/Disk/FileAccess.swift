internal import Foundation

extension URL {
  /// Reads a regular file, or that to which a link leads; anything else that has the name is no value.
  ///
  /// Its kind is asked for first: opening a pipe would wait until somebody writes to it.
  func readFile() throws -> Data {
    try requireFile(orThrow: .fileReadUnsupportedScheme)
    let type = try entryType()
    guard try type == .typeRegular || type == .typeSymbolicLink && resolvingSymlinksInPath().isRegularFile
    else {
      throw CocoaError(.fileReadNoSuchFile, at: self, "There is no file of that name.")
    }
    do { return try Data(contentsOf: self) } catch let error as CocoaError where error.excludesFile {
      throw CocoaError(.fileReadNoSuchFile, at: self, error.localizedDescription)
    }
  }

  /// Writes beside the file, syncs that, and puts it into the file's place.
  func writeFile(_ data: Data, creatingDirectories: Bool) throws {
    try requireFile(orThrow: .fileWriteUnsupportedScheme)
    do {
      try data.write(to: self, options: .atomic)
    } catch let error as CocoaError {
      guard creatingDirectories, error.code == .fileNoSuchFile else { throw whyNotWritten(error) }
      try createDirectory()
      do {
        try data.write(to: self, options: .atomic)
      } catch let error as CocoaError {
        throw whyNotWritten(error)
      }
    }
  }

  func removeFile() throws {
    try requireFile(orThrow: .fileWriteUnsupportedScheme)
    // A directory is no value: removing it would remove everything in it.
    guard let type = try entryType(), type != .typeDirectory else { return }
    try removeItem()
  }

  /// Removes a file, or a directory with all in it; it is no failure if there is none.
  func removeItem() throws {
    do { try FileManager.default.removeItem(at: self) } catch CocoaError.fileNoSuchFile {}
  }

  /// What has this name, links not followed; nil if nothing has.
  func entryType() throws -> FileAttributeType? {
    do {
      return try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
    } catch let error as CocoaError where error.isNoValue || error.excludesFile {
      return nil
    }
  }

  /// Whether this is a file with bytes of its own, no link to one.
  var isRegularFile: Bool {
    get throws { try entryType() == .typeRegular }
  }

  /// Whether something has this name, if only a link to nothing.
  var isEntry: Bool { (try? entryType()) ?? nil != nil }

  /// Whether this is a directory, or a link to one.
  var isDirectory: Bool {
    var isDirectory: ObjCBool = false
    return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
      && isDirectory.boolValue
  }

  /// Foundation reads anything else from the network.
  private func requireFile(orThrow code: CocoaError.Code) throws {
    guard isFileURL else { throw CocoaError(code, at: self, "Keys of a disk storage are URLs of files.") }
  }

  private func createDirectory() throws {
    do {
      try FileManager.default.createDirectory(
        at: DiskStorage.directoryURL(of: self), withIntermediateDirectories: true)
    } catch {
      throw DiskStorage.Error.cantCreateDirectory(error)
    }
  }

  /// What is said of a failure: that there can be no such file, or else (a full disk, a name too long) the failure.
  private func whyNotWritten(_ error: CocoaError) -> any Error {
    switch error.code {
    case .fileNoSuchFile, .fileWriteNoPermission, .fileWriteVolumeReadOnly: DiskStorage.Error.cantCreateFile
    case _ where isDirectory: DiskStorage.Error.cantCreateFile
    default: error
    }
  }
}

extension CocoaError {
  /// Whether there can be no file of the name, so that none is there: a directory has it, a file stands where it needs
  /// a directory, or it is too long.
  var excludesFile: Bool {
    let system = unsafe (userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
    guard system?.domain == NSPOSIXErrorDomain else { return code == .fileReadInvalidFileName }
    return [POSIXErrorCode.EISDIR, .ENOTDIR, .ENAMETOOLONG].contains { Int($0.rawValue) == system?.code }
  }

  init(_ code: Code, at url: URL, _ description: String) {
    self.init(
      code,
      userInfo: [NSURLErrorKey: url, NSFilePathErrorKey: url.path, NSDebugDescriptionErrorKey: description])
  }
}
