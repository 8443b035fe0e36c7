package import BenchmarkHarness

/// What this machine can do at best, in bare loops: the limits that a storage engine is held against.
package struct MachineLimits {
  /// The figures under their headings.
  package let groups: [BenchmarkGroup]

  /// Prepares all tables and files in `directory`; they go when the last of the benchmarks goes.
  package init(scale: Scale, directory: String) throws {
    let memoryReads = try MemoryReads(scale: scale)
    let cachedFile = try ScratchFile("cached", in: directory)
    try cachedFile.fill(byteCount: scale.largeByteCount)
    try cachedFile.syncData()
    let streams = try Streams(scale: scale, directory: directory, file: cachedFile)
    let syncs = try Syncs(scale: scale, directory: directory)
    groups =
      memoryReads.groups + [streams.group] + Appends(scale: scale, directory: directory).groups
      + [FileReads(scale: scale, file: cachedFile).group, syncs.group]
  }
}
