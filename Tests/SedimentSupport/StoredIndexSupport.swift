package import Sediment
internal import SedimentDisk
package import SedimentFormat
package import SedimentTesting
package import Testing

/// What opening a file makes of its index, with or without the stored parts.
package struct BuiltIndex: Equatable {
  /// The positions of all entries, in ascending order.
  package var positions: [UInt64] = []
  package var segments: [Generation: IndexBuildResult.Live] = [:]
  package var collections: [UInt32: IndexBuildResult.Keys] = [:]

  /// What the building of an index says of itself besides.
  package struct Report {
    package var storedCount: UInt64
    package var scannedRecordCount: UInt64
    package var scannedByteCount: UInt64
    package var hasDead: Bool
    package var indexByteCount: Int
  }

  /// Builds the index of a file as an opening that only reads does.
  package static func of(
    _ disk: SimulatedDisk, path: String = StoreFixture.path, usingStoredIndex: Bool
  ) throws -> (BuiltIndex, Report) {
    let file = try disk.openFile(path, .read)
    defer { try? file.close() }
    let log = try Opening(file, on: disk).recover(.readOnly).log
    return try of(log, log.patched ?? file, usingStoredIndex: usingStoredIndex)
  }

  package static func of(
    _ log: RecoveredLog, _ file: StoreFile, usingStoredIndex: Bool
  ) throws -> (BuiltIndex, Report) {
    let index = HashIndex(keyHash: KeyHash(low: 1, high: 2)) { $0.free() }
    let source = RecordSource(file, byteCount: try file.byteCount())
    let built = try IndexBuild(log, of: file, usingStoredIndex: usingStoredIndex).run(into: index, source)
    try index.checkInvariants()
    var found = BuiltIndex()
    var entries: [IndexEntry] = []
    var prefix: UInt64? = 0
    while let from = prefix { prefix = index.view.copyEntries(from: from, into: &entries) }
    found.positions = entries.map(\.position).sorted()
    for segment in built.segments where segment.live.recordCount > 0 || segment.live.byteCount > 0 {
      found.segments[segment.identity.generation] = segment.live
    }
    found.collections = built.collections
    return (
      found,
      Report(
        storedCount: built.storedCount, scannedRecordCount: built.scannedRecordCount,
        scannedByteCount: built.scannedByteCount, hasDead: built.hasDead, indexByteCount: index.byteCount)
    )
  }
}

extension SimulatedDisk {
  /// The parts of a stored index that a file's catalogue has.
  package func indexParts(path: String = StoreFixture.path) throws -> [IndexPartEntry] {
    let file = try openFile(path, .read)
    defer { try? file.close() }
    return try Opening(file, on: self).recover(.readOnly).log.catalogue.indexParts
  }

  /// Expects that the index comes out the same with the stored parts as without them, and says how it came about.
  ///
  /// Where entries lead to what was cleared since, those are more than a scan finds, and only the keys are compared.
  @discardableResult
  package func expectSameIndex(
    path: String = StoreFixture.path, _ comment: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> BuiltIndex.Report {
    let (stored, report) = try BuiltIndex.of(self, path: path, usingStoredIndex: true)
    let (scanned, other) = try BuiltIndex.of(self, path: path, usingStoredIndex: false)
    #expect(other.storedCount == 0, comment, sourceLocation: sourceLocation)
    #expect(stored.collections == scanned.collections, comment, sourceLocation: sourceLocation)
    if report.hasDead {
      let isContained = Set(scanned.positions).isSubset(of: stored.positions)
      #expect(isContained, comment, sourceLocation: sourceLocation)
    } else {
      #expect(stored == scanned, comment, sourceLocation: sourceLocation)
    }
    return report
  }
}
