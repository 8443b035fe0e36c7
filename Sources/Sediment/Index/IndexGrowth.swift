internal import SedimentFormat

/// How large partitions of the index are made, and when; pure functions.
///
/// A partition grows by a quarter when its slots are used up to 55/64, so it is filled from 69 % on, and an entry takes
/// 9.3 to 11.6 bytes. The sizes of different partitions are spread evenly between two such steps, so they
/// grow one after the other, and all together take about 10.5 bytes per entry at any time.
enum IndexGrowth {
  #if SEDIMENT_SCHEDULES
    // So few that the stores of schedules have partitions that are split, and walks that come to an end soon.
    static let splitCountMin = 4
    private static let entriesPerWordMin = 1
  #else
    /// The entries from which on a partition that would grow is split instead.
    static let splitCountMin = 16_384
    /// The fewest entries to a word of a directory that grows.
    private static let entriesPerWordMin = 256
  #endif
  /// The buckets within which an entry is found, unless the index is crowded.
  ///
  /// Runs of so many full buckets come about now and then in a partition that is about to grow, which then grows a
  /// little earlier; where entries are spread a quarter wider they hardly do, and half as wide again, never.
  static let probeBucketCountMax = 32
  /// The hash bits by which partitions are split at most: enough for partitions of 16,384 entries in an index of a
  /// billion.
  ///
  /// At least 11 of the bits that an entry holds, besides its tag, are left to place it in a table.
  static let depthMax: UInt64 = 8

  /// The slots of a table that may be used, by entries or as deleted.
  @inline(__always)
  static func usedCountMax(bucketCount: Int) -> Int {
    (bucketCount &* 55) &>> 3
  }

  /// By how many bits partitions are split from the beginning, so that so many entries split them little further.
  static func depth(expectedCount: Int) -> UInt64 {
    var depth: UInt64 = 0
    while depth < depthMax, expectedCount >> Int(KeyHash.baseBitCount + depth) >= splitCountMin { depth += 1 }
    return depth
  }

  /// The buckets for a partition of `count` entries, and more than `exceeded` buckets.
  ///
  /// Leaves room for a twentieth more entries, or deleting and inserting at a constant count would rebuild
  /// the table all the time. `number` is the partition's own among those of its depth.
  static func bucketCount(for count: Int, number: UInt64, exceeding exceeded: Int = 0) -> Int {
    guard count > 0 || exceeded > 0 else { return 0 }
    let needed = count + max(count / 20, 2)
    // Multiples of the golden ratio are spread evenly, whichever numbers are in use.
    let phase = (number &* 0x9E37_79B9_7F4A_7C15) >> 48
    var scaled = Int(65_536 + phase / 4)
    while usedCountMax(bucketCount: scaled >> 16) < needed || scaled >> 16 <= exceeded {
      scaled += scaled >> 2
    }
    return scaled >> 16
  }

  /// Whether a partition is so empty that removing makes it smaller, and that long probes do not make it larger.
  @inline(__always)
  static func isSparse(count: Int, bucketCount: Int) -> Bool {
    bucketCount > 3 && count &* 2 < usedCountMax(bucketCount: bucketCount)
  }

  /// Whether a directory may have so many words, at 16 bytes each; it is small beside the entries in all cases, and
  /// hashes that are alike cannot make it grow.
  static func allows(wordCount: Int, count: Int) -> Bool {
    wordCount <= count / entriesPerWordMin
  }
}
