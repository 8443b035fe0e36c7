internal import CSediment

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif
// How long the file is, and which of its bytes have blocks.
extension SystemFile {
  func allocatedByteCount() throws(DiskError) -> UInt64 {
    try perform(.byteCount) { number throws(SystemCallFailure) in
      // Of 512 bytes each, whatever the file system's are.
      UInt64(clamping: try Self.status(number).st_blocks) * 512
    }
  }

  func truncate(to byteCount: UInt64) throws(DiskError) {
    try perform(.truncate, at: byteCount) { number throws(SystemCallFailure) in
      let length = try SystemRange(0..<byteCount).count
      try checkSize(number, byteCount)
      try callUninterrupted { ftruncate(number, off_t(length)) }
    }
  }

  /// See `DiskFile.allocate`.
  ///
  /// Where the file system cannot reserve blocks, the file only grows to the end of the range, and nothing else
  /// may make it grow meanwhile: the system has no call that lengthens but never shortens. A clone shares what
  /// was reserved before it was made, so on XFS the promise holds again only for ranges allocated after.
  func allocate(_ range: Range<UInt64>) throws(DiskError) {
    try perform(.allocate, at: range.lowerBound) { number throws(SystemCallFailure) in
      let blocks = try SystemRange(range)
      if blocks.count == 0 { return }
      try checkSize(number, range.upperBound)
      #if canImport(Darwin)
        try reserveGrowth(number, to: range.upperBound)
      #else
        guard let code = reserve(number, blocks) else { return }
        // Where stores through a mapping rely on the reservation, growing alone would be a lie.
        guard code == .notSupported, !traits.allocatesBlocks else { throw SystemCallFailure(code: code) }
      #endif
      let length = off_t(range.upperBound)
      if try Self.status(number).st_size < length { try callUninterrupted { ftruncate(number, length) } }
    }
  }

  func forgetUnwritten() {
    // What fails here the next sync tells.
    guard let number = descriptor.borrow() else { return }
    defer { descriptor.giveBack() }
    sediment_forget_unwritten(number)
  }

  func punchHole(_ range: Range<UInt64>) throws(DiskError) {
    try perform(.punchHole, at: range.lowerBound) { number throws(SystemCallFailure) in
      let blocks = try SystemRange(range)
      guard traits.punchesHoles else { throw SystemCallFailure(code: .notSupported) }
      if blocks.count == 0 { return }
      #if canImport(Darwin)
        try punchAlignedHole(number, range)
      #else
        try callUninterrupted { sediment_punch_hole(number, blocks.start, blocks.count) }
      #endif
    }
  }

  func dataRange(from offset: UInt64) throws(DiskError) -> Range<UInt64>? {
    try perform(.findData, at: offset) { number throws(SystemCallFailure) in
      let length = UInt64(clamping: try Self.status(number).st_size)
      guard offset < length else { return nil }
      // The position that the system moves is used by no call of this module.
      let start = sediment_seek(number, Int64(offset), 1)
      if start < 0 {
        let code = SystemErrorCode.latest
        if code == .noData { return nil }
        guard code == .invalidArgument || code == .notSupported else { throw SystemCallFailure(code: code) }
        return offset..<length
      }
      let end = sediment_seek(number, start, 0)
      if end < 0 { throw SystemCallFailure(code: .latest) }
      return UInt64(start)..<UInt64(max(end, start))
    }
  }
}

#if canImport(Darwin)
  extension SystemFile {
    /// Reserves what the file will grow by, so that a full disk is noticed here rather than later.
    ///
    /// Other failures mean that the file system does not reserve, which its traits do not promise either.
    private func reserveGrowth(_ number: Int32, to end: UInt64) throws(SystemCallFailure) {
      let growth = Int64(end) - Int64(try Self.status(number).st_size)
      guard growth > 0 else { return }
      let code = attemptUninterrupted { sediment_allocate(number, 0, growth, 0) }
      if let code, code.isOutOfSpace { throw SystemCallFailure(code: code) }
    }

    /// Punches the whole blocks of the range and writes zeros over the rest, as far as the file reaches.
    private func punchAlignedHole(_ number: Int32, _ range: Range<UInt64>) throws(SystemCallFailure) {
      let found = try Self.status(number)
      let block = UInt64(max(found.st_blksize, 1))
      let end = min(range.upperBound, UInt64(clamping: found.st_size))
      guard range.lowerBound < end else { return }
      let first = (range.lowerBound + block - 1) / block * block
      let last = end / block * block
      guard first < last else { return try writeZeros(range.lowerBound..<end) }
      try writeZeros(range.lowerBound..<first)
      try writeZeros(last..<end)
      try callUninterrupted { sediment_punch_hole(number, Int64(first), Int64(last - first)) }
    }

    /// Writes zeros over a range of less than two blocks.
    private func writeZeros(_ range: Range<UInt64>) throws(SystemCallFailure) {
      if range.isEmpty { return }
      let zeros = [UInt8](repeating: 0, count: range.count)
      do throws(DiskError) {
        unsafe try write(zeros.span.bytes, at: range.lowerBound)
      } catch {
        throw SystemCallFailure(code: error.code)
      }
    }
  }
#else
  extension SystemFile {
    /// Reserves blocks for the range and makes the file reach to its end; returns why it failed, or nil.
    ///
    /// XFS asks for new blocks before it looks whether it needs any, so a full one refuses ranges that have theirs. They
    /// need none where stores do not copy.
    private func reserve(_ number: Int32, _ blocks: SystemRange) -> SystemErrorCode? {
      guard let code = request(number, blocks) else { return nil }
      guard code.isOutOfSpace, traits.allocatesBlocks else { return code }
      return sediment_has_blocks(number, blocks.start, blocks.count) != 0 ? nil : code
    }

    /// Asks the system to reserve blocks for the range; returns why it refused, or nil.
    private func request(_ number: Int32, _ blocks: SystemRange) -> SystemErrorCode? {
      // Blocks that a clone shares are replaced by the first write, which then needs others: so they are
      // replaced here, if the system knows how.
      if traits.allocatesBlocks && traits.clones {
        let code = attemptUninterrupted { sediment_allocate(number, blocks.start, blocks.count, 1) }
        guard code == .notSupported || code == .invalidArgument else { return code }
      }
      return attemptUninterrupted { sediment_allocate(number, blocks.start, blocks.count, 0) }
    }
  }
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
