internal import SedimentDisk

/// How an open store reads records, and why.
public enum SedimentReadMode: String, Sendable, Hashable {
  /// Records are read where they lie in the mapped file, since the file fits into the memory that the process may have.
  case mapped
  /// Records are read by calls, since the options say so.
  case unmappedByOption
  /// Records are read by calls, since the file system is not local, such as NFS, SMB or FUSE: a page of a mapping would
  /// wait for a server, and end the process by a signal if that does not answer or somebody shortens the file.
  case unmappedByFileSystem
  /// Records are read by calls, since the file is larger than the memory that the process may have: a page fault of the
  /// mapping would read much that is not needed, and displace what is.
  case unmappedByMemory
  /// Records are read by calls, since the process has no addresses left for the file.
  case unmappedByAddresses
}

/// Chooses how records are read, by the bytes that the file takes, without its holes, and the memory that the process may
/// have.
package struct ReadModeChoice {
  /// What the file took when the mode was chosen.
  private var chosenByteCount: UInt64 = 0
  /// The memory that was found when the mode was chosen; 0 if it is not known or was not asked for.
  package private(set) var memoryByteCount: UInt64 = 0

  /// A file that takes less is mapped without asking how much memory there is.
  private static var smallByteCountMax: UInt64 { 16 << 20 }

  package init() {}

  /// Whether what the file takes has changed by a 16th since the mode was chosen.
  package func isDue(takenByteCount: UInt64) -> Bool {
    let (low, high) = (min(takenByteCount, chosenByteCount), max(takenByteCount, chosenByteCount))
    return high > Self.smallByteCountMax && high - low >= high / 16
  }

  /// Whether a file that takes so many bytes fits into the memory.
  ///
  /// A file that is read in place fits as long as it takes at most 7/8 of the memory. One that is read by calls fits again
  /// once it takes less than 3/4.
  package mutating func fits(_ takenByteCount: UInt64, isMapped: Bool, memory: () -> UInt64?) -> Bool {
    chosenByteCount = takenByteCount
    guard takenByteCount > Self.smallByteCountMax else { return true }
    memoryByteCount = memory() ?? 0
    guard memoryByteCount > 0 else { return true }
    return isMapped
      ? takenByteCount <= memoryByteCount - memoryByteCount / 8
      : takenByteCount < memoryByteCount - memoryByteCount / 4
  }
}
