#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What a process does so that reads of the store's file come to the device.
enum OldReads {
  /// Writes what the page cache has of a file, and lets go of it as far as nobody has it mapped.
  static func forgetCache(_ file: Int32) {
    _ = fsync(file)
    #if os(Linux)
      _ = posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    #endif
  }

  static func forgetCache(ofPath path: String) {
    let file = unsafe open(path, O_RDWR | O_CLOEXEC)
    if file < 0 { return }
    forgetCache(file)
    close(file)
  }

  /// Where the bytes of a file lie on its device; a file system with devices of its own, as btrfs, tells other places, and
  /// finds out what is old by itself.
  static func places(of file: Int32) -> [Range<UInt64>] {
    var places: [Range<UInt64>] = []
    #if os(Linux)
      var start: UInt64 = 0
      while let (extents, next) = extents(of: file, from: start) {
        places += extents
        start = next
      }
    #endif
    return places
  }

  #if os(Linux)
    /// Some extents from a place of the file on, and where the next ones begin; nil after the last.
    private static func extents(of file: Int32, from start: UInt64) -> ([Range<UInt64>], next: UInt64)? {
      // See linux/fiemap.h: a head of 32 bytes, and 56 for each extent.
      let (headByteCount, byteCount, count) = (32, 56, 64)
      let request: UInt = 0xC020_660B
      let flagSync: UInt32 = 1
      var bytes = [UInt8](repeating: 0, count: headByteCount + byteCount * count)
      return unsafe bytes.withUnsafeMutableBytes { bytes in
        func number(_ place: Int) -> UInt64 {
          unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        }
        unsafe bytes.storeBytes(of: start, toByteOffset: 0, as: UInt64.self)
        unsafe bytes.storeBytes(of: UInt64.max - start, toByteOffset: 8, as: UInt64.self)
        unsafe bytes.storeBytes(of: flagSync, toByteOffset: 16, as: UInt32.self)
        unsafe bytes.storeBytes(of: UInt32(count), toByteOffset: 24, as: UInt32.self)
        guard let base = bytes.baseAddress, unsafe ioctl(file, request, base) == 0 else { return nil }
        let found = unsafe Int(bytes.loadUnaligned(fromByteOffset: 20, as: UInt32.self))
        if found == 0 { return nil }
        var extents: [Range<UInt64>] = []
        var next = start
        for place in stride(from: headByteCount, to: headByteCount + found * byteCount, by: byteCount) {
          let (logical, physical, length) = (number(place), number(place + 8), number(place + 16))
          if physical > 0 { extents.append(physical..<physical + length) }
          next = logical + length
        }
        return (extents, next)
      }
    }
  #endif
}
