internal import SedimentDisk
internal import SedimentFormat

extension SedimentError {
  /// The error for a file whose sound parts contradict each other, or that lacks what was known to be on it.
  static func damaged(_ reason: String, path: String, offset: UInt64) -> SedimentError {
    SedimentError(
      .damaged, path: path, offset: offset,
      message: "\(reason.capitalizedFirst). Keep the file as it is; restore a backup, or salvage it.")
  }

  /// The error for a number of the file that cannot rise any more.
  static func exhausted(_ what: String, path: String) -> SedimentError {
    SedimentError(
      .exhausted, path: path, message: "The file's \(what) are used up. Back it up into a new file.")
  }

  /// The error for a sync that failed: whatever it says, space is not what is missing.
  static func failedSync(_ error: DiskError) -> SedimentError {
    SedimentError(
      .inputOutput, path: error.path, offset: error.offset, systemError: error,
      message:
        "The medium may lack what was written last. Close the file, look after the disk and open it again.")
  }
}

extension DiskFile {
  /// The bytes at an offset; fewer than `count` only where the file ends.
  func bytes(at offset: UInt64, count: Int) throws(SedimentError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let found = try read(into: &bytes, at: offset, count: count)
    bytes.removeLast(count - found)
    return bytes
  }

  /// Reads `count` bytes into the beginning of an array that has room for them, and says how many there were.
  func read(into bytes: inout [UInt8], at offset: UInt64, count: Int) throws(SedimentError) -> Int {
    precondition(count <= bytes.count, "a read beyond the buffer")
    do throws(DiskError) {
      var elements = bytes.mutableSpan
      var all = unsafe elements.mutableBytes
      return try unsafe all.withUnsafeMutableBytes { (buffer) throws(DiskError) in
        guard let start = buffer.baseAddress else { return 0 }
        // The array has room for that many bytes, as was checked.
        var span = unsafe MutableRawSpan(_unsafeStart: start, byteCount: count)
        return try read(into: &span, at: offset)
      }
    } catch {
      throw SedimentError(error)
    }
  }

  /// The length of the file, as an error of the store where it cannot be had.
  func length() throws(SedimentError) -> UInt64 {
    do throws(DiskError) {
      return try byteCount()
    } catch {
      throw SedimentError(error)
    }
  }

  /// The next bytes before `limit` that are no hole, whole units of them; nil if there are none.
  func data(from position: UInt64, limit: UInt64) throws(SedimentError) -> Range<UInt64>? {
    do throws(DiskError) {
      guard let range = try dataRange(from: position), range.lowerBound < limit else { return nil }
      let start = max(position, range.lowerBound & ~UInt64(Limits.unitByteCount - 1))
      return start..<max(start, min(range.upperBound, limit))
    } catch {
      throw SedimentError(error)
    }
  }

  /// Writes, and says it as an error of the store where that fails.
  func put(_ bytes: RawSpan, at offset: UInt64) throws(SedimentError) {
    do throws(DiskError) {
      try write(bytes, at: offset)
    } catch {
      throw SedimentError(error)
    }
  }
}
