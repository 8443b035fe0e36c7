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
    let number = try borrow(for: .byteCount)
    defer { descriptor.giveBack() }
    // Of 512 bytes each, whatever the file system's are.
    return UInt64(clamping: try status(number, for: .byteCount).st_blocks) * 512
  }

  func truncate(to byteCount: UInt64) throws(DiskError) {
    let number = try borrow(for: .truncate, at: byteCount)
    defer { descriptor.giveBack() }
    guard let length = Int64(exactly: byteCount) else {
      throw failure(.truncate, at: byteCount, .invalidArgument)
    }
    try checkSize(number, byteCount, for: .truncate, at: byteCount)
    if let code = attemptUninterrupted({ ftruncate(number, off_t(length)) }) {
      throw failure(.truncate, at: byteCount, code)
    }
  }

  /// See `DiskFile.allocate`.
  ///
  /// Where the file system cannot reserve blocks, the file only grows to the end of the range, and nothing else
  /// may make it grow meanwhile: the system has no call that lengthens but never shortens. A clone shares what
  /// was reserved before it was made, so on XFS the promise holds again only for ranges allocated after.
  func allocate(_ range: Range<UInt64>) throws(DiskError) {
    let number = try borrow(for: .allocate, at: range.lowerBound)
    defer { descriptor.giveBack() }
    guard let blocks = SystemRange(range) else {
      throw failure(.allocate, at: range.lowerBound, .invalidArgument)
    }
    if blocks.count == 0 { return }
    try checkSize(number, range.upperBound, for: .allocate, at: range.lowerBound)
    #if canImport(Darwin)
      try reserveGrowth(number, to: range)
      try extend(number, to: range)
    #else
      guard let code = reserve(number, blocks) else { return }
      // Where stores through a mapping rely on the reservation, growing alone would be a lie.
      guard code == .notSupported, !traits.allocatesBlocks else {
        throw failure(.allocate, at: range.lowerBound, code)
      }
      try extend(number, to: range)
    #endif
  }

  func punchHole(_ range: Range<UInt64>) throws(DiskError) {
    let number = try borrow(for: .punchHole, at: range.lowerBound)
    defer { descriptor.giveBack() }
    guard let blocks = SystemRange(range) else {
      throw failure(.punchHole, at: range.lowerBound, .invalidArgument)
    }
    guard traits.punchesHoles else { throw failure(.punchHole, at: range.lowerBound, .notSupported) }
    if blocks.count == 0 { return }
    #if canImport(Darwin)
      try punchAlignedHole(number, range)
    #else
      let code = attemptUninterrupted { sediment_punch_hole(number, blocks.start, blocks.count) }
      if let code { throw failure(.punchHole, at: range.lowerBound, code) }
    #endif
  }

  func dataRange(from offset: UInt64) throws(DiskError) -> Range<UInt64>? {
    let number = try borrow(for: .findData, at: offset)
    defer { descriptor.giveBack() }
    let length = UInt64(clamping: try status(number, for: .findData).st_size)
    guard offset < length else { return nil }
    // The position that the system moves is used by no call of this module.
    let start = sediment_seek(number, Int64(offset), 1)
    if start < 0 {
      let code = SystemErrorCode.latest
      if code == .noData { return nil }
      guard code == .invalidArgument || code == .notSupported else {
        throw failure(.findData, at: offset, code)
      }
      return offset..<length
    }
    let end = sediment_seek(number, start, 0)
    if end < 0 { throw failure(.findData, at: offset, .latest) }
    return UInt64(start)..<UInt64(max(end, start))
  }

  /// Makes the file reach to the end of the range, if it does not yet.
  private func extend(_ number: Int32, to range: Range<UInt64>) throws(DiskError) {
    let length = off_t(range.upperBound)
    guard try status(number, for: .allocate).st_size < length else { return }
    if let code = attemptUninterrupted({ ftruncate(number, length) }) {
      throw failure(.allocate, at: range.lowerBound, code)
    }
  }
}

#if canImport(Darwin)
  extension SystemFile {
    /// Reserves what the file will grow by, so that a full disk is noticed here rather than later.
    ///
    /// Other failures mean that the file system does not reserve, which its traits do not promise either.
    private func reserveGrowth(_ number: Int32, to range: Range<UInt64>) throws(DiskError) {
      let growth = Int64(range.upperBound) - Int64(try status(number, for: .allocate).st_size)
      guard growth > 0 else { return }
      let code = attemptUninterrupted { sediment_allocate(number, 0, growth, 0) }
      if let code, code.isOutOfSpace { throw failure(.allocate, at: range.lowerBound, code) }
    }

    /// Punches the whole blocks of the range and writes zeros over the rest, as far as the file reaches.
    private func punchAlignedHole(_ number: Int32, _ range: Range<UInt64>) throws(DiskError) {
      let found = try status(number, for: .punchHole)
      let block = UInt64(max(found.st_blksize, 1))
      let end = min(range.upperBound, UInt64(clamping: found.st_size))
      guard range.lowerBound < end else { return }
      let first = (range.lowerBound + block - 1) / block * block
      let last = end / block * block
      guard first < last else { return try writeZeros(range.lowerBound..<end) }
      try writeZeros(range.lowerBound..<first)
      try writeZeros(last..<end)
      let code = attemptUninterrupted { sediment_punch_hole(number, Int64(first), Int64(last - first)) }
      if let code { throw failure(.punchHole, at: first, code) }
    }

    /// Writes zeros over a range of less than two blocks.
    private func writeZeros(_ range: Range<UInt64>) throws(DiskError) {
      if range.isEmpty { return }
      let zeros = [UInt8](repeating: 0, count: range.count)
      do throws(DiskError) {
        unsafe try write(zeros.span.bytes, at: range.lowerBound)
      } catch {
        throw failure(.punchHole, at: error.offset, error.code)
      }
    }
  }
#else
  extension SystemFile {
    /// Reserves blocks for the range and makes the file reach to its end; returns why it failed, or nil.
    private func reserve(_ number: Int32, _ blocks: SystemRange) -> SystemErrorCode? {
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
