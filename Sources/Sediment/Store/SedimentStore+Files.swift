package import SedimentDisk
internal import SedimentFormat

extension SedimentStore {
  /// Removes the file of a store, and all that it holds.
  ///
  /// Throws `notFound` if there is no file, `foreign` if it is not a store's, and `locked` if somebody has it open.
  /// The file may be damaged. If the path is a symbolic link, the file goes and the link stays.
  public static func destroy(path: String) throws {
    try destroy(path: path, on: SystemDisk())
  }

  /// Removes the file of a store on a disk of the caller's.
  package static func destroy(path: String, on disk: any Disk) throws {
    let opening = try StoreOpening(path: path, options: SedimentOptions(), disk: disk)
    for _ in 0..<StoreOpening.attemptCountMax {
      if try destroyOnce(opening) { return }
    }
    throw opening.replaced
  }

  /// Removes the file that the path leads to; false, with nothing removed, if another has taken its place before it
  /// was locked.
  private static func destroyOnce(_ opening: StoreOpening) throws(SedimentError) -> Bool {
    let (path, disk) = (opening.path, opening.disk)
    let file = try disk.openFile(path, .readWrite)
    defer { try? file.close() }
    let head = HeadSurvey(file)
    if !head.isThere {
      try head.checkReadable()
      throw .foreign(path)
    }
    let ticket = try opening.takeLocks(file)
    defer { ticket.giveBack() }
    guard try opening.isInPlace(file) else { return false }
    try onDisk { () throws(DiskError) in
      try disk.remove(path)
      try disk.secureNames(of: path)
    }
    return true
  }

  /// Reads every byte of a store's file and reports what is wrong with it, without writing anything.
  ///
  /// Damage is in the report, and is no error. Throws `notFound`, `foreign` or `newer` for a file that is no store of
  /// this version, `locked` if somebody has it open for writing, and `cancelled` if the closure returns `stop`.
  public static func verify(
    path: String, progress: ((SedimentProgress) -> SedimentIteration)? = nil
  ) throws -> VerificationReport {
    try verify(path: path, on: SystemDisk(), progress: progress)
  }

  /// Verifies a file on a disk of the caller's.
  package static func verify(
    path: String, on disk: any Disk, progress: ((SedimentProgress) -> SedimentIteration)? = nil
  ) throws -> VerificationReport {
    try StoreOpening.reading(path, on: disk) { file in
      var verification = try Verification(file, on: disk, progress)
      return try verification.run()
    }
  }
}
