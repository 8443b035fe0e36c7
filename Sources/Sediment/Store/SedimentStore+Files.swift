package import SedimentDisk
internal import SedimentFormat

extension SedimentStore {
  /// Removes a store's file, and with it all that it holds.
  ///
  /// It must be a store's file, sound or damaged, and nobody may have it open. That there is none is an error.
  public static func destroy(path: String) throws {
    try destroy(path: path, on: SystemDisk())
  }

  /// Removes the file of a store on a disk of the caller's.
  package static func destroy(path: String, on disk: any Disk) throws {
    do throws(DiskError) {
      let file = try disk.open(path, .readWrite)
      defer { try? file.close() }
      guard try isStore(file) else { throw DiskError(.open, path: path, code: .invalidArgument) }
      guard try file.lock(StoreOpening.lockedByte, .exclusive) else {
        throw DiskError(.lock, path: path, code: .exists)
      }
      try disk.remove(path)
      try disk.syncDirectory(of: path)
    } catch {
      guard error.operation == .lock, error.code == .exists else { throw SedimentError(error) }
      throw SedimentError(
        .locked, path: path, message: "The store is open. Close it wherever it is open, then destroy it.")
    }
  }

  /// Whether one of the superblocks at least begins like one.
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
