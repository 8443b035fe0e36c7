package import SedimentDisk

extension SedimentStore {
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
