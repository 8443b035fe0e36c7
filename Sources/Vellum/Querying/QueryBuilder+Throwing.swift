// The forms that throw, and those for tasks.

extension QueryBuilder {
  /// The results; it fails with the first archive that cannot be read.
  public func results<Archive>() throws -> [Archive] where Queriable == ArchiveManager<Archive> {
    try archivist.throwing.process(queries: queries)
  }

  /// The first result, nil if there is none; it fails with the first archive that cannot be read.
  public func first<Archive>() throws -> Archive? where Queriable == ArchiveManager<Archive> {
    try archivist.throwing.process(queries: queries + [QueryLimiter(limit: 1)]).first
  }

  /// The last result, nil if there is none; it fails with the first archive that cannot be read.
  public func last<Archive>() throws -> Archive? where Queriable == ArchiveManager<Archive> {
    try archivist.throwing.process(queries: queries + [QueryLast()]).last
  }

  /// The results, with way given to other tasks now and then; it fails with the first archive that cannot be read, and
  /// when its task is cancelled.
  nonisolated(nonsending) public func results<Archive>() async throws -> [Archive]
  where Queriable == ArchiveManager<Archive> {
    try await archivist.asynchronous.process(queries: queries)
  }
}
