package import BenchmarkHarness

/// What storages cost that are composed of others.
package struct ShallowsBenchmarks {
  private let callCount: Int
  private let directory: String

  /// Nothing is prepared yet; data files will lie in `directory`, and each row makes about `callCount` calls a round.
  package init(callCount: Int, directory: String) {
    self.callCount = callCount
    self.directory = directory
  }

  /// Prepares everything; stores and files go when the last of its benchmarks goes.
  package func section() throws -> Section {
    let storages = try BenchmarkStorages(directory: directory)
    let memory = MemoryRows(storages, callCount: callCount).section
    let waiting = WaitingRows(storages, callCount: callCount).section
    let disk = DiskRows(storages, callCount: callCount).section
    let coding = CodingRows(storages, callCount: callCount).section
    return Section(
      memory.groups + waiting.groups + disk.groups + coding.groups,
      memory.comparisons + waiting.comparisons + disk.comparisons
        + coding.comparisons, roundFactor: 3)
  }
}
