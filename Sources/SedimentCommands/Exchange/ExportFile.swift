internal import SedimentDisk
internal import SedimentFormat

/// The file of an export: it grows as a part beside its place, and gets its name once it is whole and on the disk.
///
/// An export that was interrupted leaves its part, and the same export goes on in it. Whenever a row crosses a mark, the
/// part is synced behind it before anything follows: so, if something does, the rows up to there are as they were
/// written, whatever has happened since. Nobody but the user who exports may open part and file.
final class ExportFile {
  let writer: OutputWriter
  /// What an export before has left of this one; nil for nothing.
  private(set) var finished: FinishedRows?
  private let path: String
  private let partPath: String
  private let disk = SystemDisk()
  private var syncedByteCount: UInt64 = 0

  /// How many marks there are up to a position: one a MiB at first, and then one for sixteen.
  static func markCount(upTo position: UInt64) -> UInt64 {
    position < 16 << 20 ? position >> 20 : 15 + position >> 24
  }

  /// `subject` is the checksum of all that tells this export from others to the same path.
  init(at path: String, format: ExchangeFormat, subject: Checksum) throws {
    self.path = path
    partPath = "\(path).part-" + String(subject.rawValue, radix: 16).padded(to: 8, with: "0")
    if PathStatus.isTaken(path) { throw ToolFailure.usage("\(path): \(Self.takenText)") }
    let descriptor = try Descriptor.continuing(partPath, calledBy: path)
    do {
      // Whoever had it a moment ago may have given it its name.
      guard try descriptor.lock(), try descriptor.isFile(at: partPath) else {
        throw ToolFailure(.locked, "\(path): another export to it is under way")
      }
      finished = try FinishedRows(of: descriptor, format, named: partPath)
      syncedByteCount = finished?.byteCount ?? 0
      try descriptor.cut(to: syncedByteCount)
    } catch {
      descriptor.close()
      throw error
    }
    writer = OutputWriter(descriptor, at: syncedByteCount)
  }

  /// Writes a row, of which the body writes the parts.
  func writeRow(_ body: (_ write: ([UInt8]) throws -> Void) throws -> Void) throws {
    let before = Self.markCount(upTo: writer.byteCount)
    try body { try writer.write($0) }
    if Self.markCount(upTo: writer.byteCount) != before { try sync() }
  }

  private func sync() throws {
    try writer.flush()
    try writer.descriptor.sync()
    syncedByteCount = writer.byteCount
  }

  /// Gives the file its name.
  func finish() throws {
    do {
      try sync()
      do throws(DiskError) {
        try disk.rename(partPath, to: path, .keepExisting)
        try disk.secureNames(of: path)
      } catch {
        throw error.code == .exists
          ? ToolFailure.usage("\(path): \(Self.takenText)") : ToolFailure(.inputOutput, "\(error)")
      }
      guard try writer.descriptor.isFile(at: path) else {
        throw ToolFailure(.inputOutput, "\(path): somebody has put another file in the place of the export")
      }
    } catch {
      throw stop(error)
    }
    writer.descriptor.close()
  }

  /// Ends before the end, and says what comes of the part: it stays if there is something to go on from.
  func stop(_ error: any Error) -> any Error {
    // Something has to follow what was synced.
    try? writer.flush()
    writer.descriptor.close()
    let failure = ToolFailure.any(error)
    guard syncedByteCount > 0 else {
      try? disk.remove(partPath)
      return failure
    }
    let rest =
      "\(path): stopped, and what there is of it stays in \(partPath); the same command goes on from there"
    return ToolFailure(failure.code, failure.message.map { "\($0)\n\(rest)" } ?? rest)
  }

  private static let takenText = "there is a file of that name already; remove it, or choose another name"
}
