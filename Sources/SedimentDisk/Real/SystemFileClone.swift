internal import CSediment

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
extension SystemFile {
  /// See `DiskFile.clone`.
  ///
  /// The new file is durable only after it was opened, synced, and its directory was. On Linux it is readable
  /// and writable by its owner alone; on Apple's systems it has the permissions of the first file. Sharing
  /// undoes reservations: see `allocate`.
  func clone(to path: String) throws(DiskError) {
    let number = try borrow(for: .clone)
    defer { descriptor.giveBack() }
    guard traits.clones else { throw failure(.clone, .notSupported) }
    guard SystemPath.isWhole(path) else { throw DiskError(.clone, path: path, code: .invalidArgument) }
    #if canImport(Darwin)
      if let code = attempt({ unsafe sediment_clone(number, path) }) {
        throw DiskError(.clone, path: path, code: code)
      }
    #else
      let target = try createTarget(path)
      // Dropping the file would close it.
      defer { withExtendedLifetime(target) {} }
      // The target's own close reports what the medium refused of its metadata.
      let code = target.descriptor.attempt { sediment_clone(number, $0) } ?? target.descriptor.close()
      guard let code else { return }
      _ = target.descriptor.close()
      _ = unsafe unlink(path)
      throw failure(.clone, code.rawValue == ENOTTY ? .notSupported : code)
    #endif
  }
}

#if !canImport(Darwin)
  extension SystemFile {
    /// Creates the empty file that is to become a clone.
    private func createTarget(_ path: String) throws(DiskError) -> SystemFile {
      do throws(DiskError) {
        return try SystemFile.open(path, .create)
      } catch {
        throw DiskError(.clone, path: path, code: error.code)
      }
    }
  }
#endif
