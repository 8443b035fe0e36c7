package import SedimentDisk

extension SedimentStore {
  /// Reads every byte of a store's file and says what is wrong with it, without writing anything.
  ///
  /// The file may be damaged, but nobody may have it open for writing. Throws for a file that is not there, is of
  /// another kind or of a newer version, and if the closure returns `stop`.
  public static func verify(
    path: String, progress: ((SedimentProgress) -> SedimentIteration)? = nil
  ) throws -> VerificationReport {
    try verify(path: path, on: SystemDisk(), progress: progress)
  }

  /// The same on a disk of the caller's.
  package static func verify(
    path: String, on disk: any Disk, progress: ((SedimentProgress) -> SedimentIteration)? = nil
  ) throws -> VerificationReport {
    try StoreOpening.reading(path, on: disk) { file in
      try Verification(file, on: disk, progress).run()
    }
  }
}
