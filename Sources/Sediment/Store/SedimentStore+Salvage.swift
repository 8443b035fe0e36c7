package import SedimentDisk

extension SedimentStore {
  /// Saves all that is provably whole of a store's file, which may be damaged, to a new file.
  ///
  /// The old file is only read; nobody may have it open for writing. There must be no file of the new name yet; the
  /// new one is whole and on the disk when the call returns, and if it throws, or the closure returns `stop`, nothing
  /// is left behind. Keys that may have been removed are counted, and with `keepsUncertain` saved in a collection
  /// named "salvaged".
  public static func salvage(
    from path: String, to destination: String, keepsUncertain: Bool = false,
    progress: ((SedimentProgress) -> SedimentIteration)? = nil
  ) throws -> SalvageReport {
    try salvage(
      from: path, to: destination, on: SystemDisk(), keepsUncertain: keepsUncertain, progress: progress)
  }

  /// The same on a disk of the caller's.
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
