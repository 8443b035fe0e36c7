package import SedimentDisk

extension SedimentStore {
  /// Copies every record of a damaged store's file that is provably whole to a new file.
  ///
  /// The old file is only read, and nobody may have it open for writing. There must be no file at the destination yet;
  /// the new one is on the disk when the call returns. If the call throws, as it does with `cancelled` after the
  /// closure returned `stop`, no new file is left behind. Keys of which nobody can tell whether they were removed are
  /// counted, and only with `keepsUncertain` they are copied, to a collection named "salvaged".
  public static func salvage(
    from path: String, to destination: String, keepsUncertain: Bool = false,
    progress: ((SedimentProgress) -> SedimentIteration)? = nil
  ) throws -> SalvageReport {
    try salvage(
      from: path, to: destination, on: SystemDisk(), keepsUncertain: keepsUncertain, progress: progress)
  }

  /// Salvages a file on a disk of the caller's.
  package static func salvage(
    from path: String, to destination: String, on disk: any Disk, keepsUncertain: Bool = false,
    progress: ((SedimentProgress) -> SedimentIteration)? = nil
  ) throws -> SalvageReport {
    try StoreOpening.reading(path, on: disk) { file in
      let new = try NewFile(at: destination, on: disk)
      do {
        var salvage = try Salvage(file, on: disk, keepsUncertain: keepsUncertain, progress)
        let report = try salvage.run(to: new)
        try new.finish()
        salvage.finish()
        return report
      } catch {
        new.remove()
        throw (error as? SedimentError).map { new.named($0) } ?? error
      }
    }
  }
}
