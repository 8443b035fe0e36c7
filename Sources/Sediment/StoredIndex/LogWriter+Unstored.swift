internal import SedimentFormat

/// How much of the log the stored index does not know, by the bytes that were ever appended or moved.
struct UnstoredLog {
  /// How much it was at the mark.
  fileprivate var byteCount: UInt64 = 0
  /// How much had ever been appended or moved then.
  fileprivate var mark: UInt64 = 0
  /// The bytes from which on the index should be stored in the background.
  var byteCountMax = UInt64.max
}

extension LogWriter {
  /// The bytes of records that an opening would scan if this one crashed now; some more where segments were freed.
  var unstoredByteCount: UInt64 {
    unstored.byteCount &+ (writtenTotal &- unstored.mark)
  }

  /// Whether the index should be stored in the background.
  var wantsIndexStored: Bool { unstoredByteCount > unstored.byteCountMax }

  /// Notes how much of the log the stored index does not know at this moment, or did not when so much had ever been
  /// appended and moved.
  mutating func noteUnstored(_ byteCount: UInt64, asOf mark: UInt64? = nil) {
    unstored.byteCount = byteCount
    unstored.mark = mark ?? writtenTotal
  }
}
