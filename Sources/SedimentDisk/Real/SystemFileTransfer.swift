internal import CSediment

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
// Reading and writing.
extension SystemFile {
  /// The most that one call is asked for; every system takes this much, and none much more than twice.
  private static let transferByteCountMax = 1 << 30

  func read(into buffer: inout MutableRawSpan, at offset: UInt64) throws(DiskError) -> Int {
    let number = try borrow(for: .read, at: offset)
    defer { descriptor.giveBack() }
    guard let range = SystemRange(offset: offset, count: buffer.byteCount) else {
      throw failure(.read, at: offset, .invalidArgument)
    }
    // The addresses stay within the buffer: `done` never exceeds its count, nor a call what is left of it.
    return unsafe try buffer.withUnsafeMutableBytes { bytes throws(DiskError) in
      guard let base = bytes.baseAddress else { return 0 }
      var done = 0
      while done < bytes.count {
        let asked = min(bytes.count - done, Self.transferByteCountMax)
        let count = unsafe pread(number, base + done, asked, off_t(range.start) + off_t(done))
        if count == 0 { break }
        if count < 0 {
          let code = SystemErrorCode.latest
          guard code == .interrupted else { throw failure(.read, at: offset + UInt64(done), code) }
          continue
        }
        done += count
      }
      return done
    }
  }

  func write(_ bytes: RawSpan, at offset: UInt64) throws(DiskError) {
    let number = try borrow(for: .write, at: offset)
    defer { descriptor.giveBack() }
    guard let range = SystemRange(offset: offset, count: bytes.byteCount) else {
      throw failure(.write, at: offset, .invalidArgument)
    }
    guard bytes.byteCount == 0 || sizeLimit.allows(UInt64(range.start + range.count)) else {
      throw failure(.write, at: offset, .fileTooLarge)
    }
    // The addresses stay within the bytes, as in `read`.
    unsafe try bytes.withUnsafeBytes { bytes throws(DiskError) in
      guard let base = bytes.baseAddress else { return }
      var done = 0
      while done < bytes.count {
        let asked = min(bytes.count - done, Self.transferByteCountMax)
        let count = unsafe pwrite(number, base + done, asked, off_t(range.start) + off_t(done))
        if count <= 0 {
          // A device that takes nothing and says nothing would keep this loop for ever.
          let code = count == 0 ? SystemErrorCode.inputOutput : .latest
          guard code == .interrupted else { throw failure(.write, at: offset + UInt64(done), code) }
          continue
        }
        done += count
      }
    }
  }

  func sync() throws(DiskError) {
    let number = try borrow(for: .sync)
    defer { descriptor.giveBack() }
    // Made once, whatever it reports: a second try would succeed over pages that the first one gave up.
    if let code = attempt({ sediment_sync(number) }) { throw failure(.sync, code) }
  }
}
