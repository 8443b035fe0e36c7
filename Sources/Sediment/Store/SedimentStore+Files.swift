package import SedimentDisk
internal import SedimentFormat

extension SedimentStore {
  /// Removes the file of a store, and all that it holds.
  ///
  /// Throws `notFound` if there is no file, `foreign` if it is not a store's, and `locked` if somebody has it open.
  /// The file may be damaged.
  public static func destroy(path: String) throws {
    try destroy(path: path, on: SystemDisk())
  }

  /// Removes the file of a store on a disk of the caller's.
  package static func destroy(path: String, on disk: any Disk) throws {
    let opening = StoreOpening(path: path, options: SedimentOptions(), disk: disk)
    for _ in 0..<StoreOpening.attemptCountMax {
      if try destroyOnce(opening) { return }
    }
    throw opening.replaced
  }

  /// Removes the file that the path leads to; false, with nothing removed, if another has taken its place before it
  /// was locked.
  private static func destroyOnce(_ opening: StoreOpening) throws(SedimentError) -> Bool {
    let (path, disk) = (opening.path, opening.disk)
    let file: any DiskFile
    do throws(DiskError) {
      file = try disk.open(path, .readWrite)
      guard try isStore(file) else { throw DiskError(.open, path: path, code: .invalidArgument) }
    } catch {
      throw SedimentError(error)
    }
    defer { try? file.close() }
    let ticket = try opening.takeLocks(file)
    defer { ticket.giveBack() }
    guard try opening.isInPlace(file) else { return false }
    do throws(DiskError) {
      try disk.remove(path)
      try disk.secureNames(of: path)
    } catch {
      throw SedimentError(error)
    }
    return true
  }

  /// Whether at least one of the superblocks begins like one.
  private static func isStore(_ file: any DiskFile) throws(DiskError) -> Bool {
    for copy in Superblock.Copy.allCases {
      var bytes = [UInt8](repeating: 0, count: Superblock.byteCount)
      var elements = bytes.mutableSpan
      var span = unsafe elements.mutableBytes
      let count = try file.read(into: &span, at: copy.byteOffset)
      do throws(FormatError) {
        _ = try Superblock.decode(unsafe bytes.span.bytes.extracting(0..<count), copy: copy)
        return true
      } catch {
        if error.fault != .absent { return true }
      }
    }
    return false
  }
}
