internal import Foundation
internal import Sediment
internal import Vellum

/// A folder of the library Vellum, a file an archive, that goes into the archives of a store.
enum ArchiveFolderSource {
  /// Copies the files into the archives of a name, or of that of the folder, or moves them: then each goes once its
  /// archive is on the disk.
  static func run(
    _ path: String, into store: SedimentStore, archiveName: String?, moves: Bool,
    _ show: (FolderSource.Report, _ totalCount: Int) -> Void
  ) throws -> FolderSource.Report {
    let factory = ArchivesFactory(store: store)
    do {
      let report = try factory.importing(
        folder: URL(fileURLWithPath: path, isDirectory: true), as: archiveName, moves: moves
      ) { report, totalCount in
        try Signals.check()
        show(FolderSource.Report(report), totalCount)
      }
      return FolderSource.Report(report)
    } catch let error as VellumError {
      if let error = error.underlyingError as? SedimentError { throw error }
      throw ToolFailure(.inputOutput, "\(path): \(error)")
    }
  }
}

extension FolderSource.Report {
  fileprivate init(_ report: ArchivesImportReport) {
    importedCount = report.importedCount
    presentCount = report.presentCount
    otherCount = report.otherFiles.count
    byteCount = report.byteCount
  }
}
