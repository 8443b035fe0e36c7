package import SedimentFormat

/// What building the index found out besides.
package struct IndexBuildResult: Sendable {
  /// What lives in each hot and survivors segment.
  package internal(set) var segments: [Generation: Live] = [:]
  /// The keys of each collection that has some.
  package internal(set) var collections: [UInt32: Keys] = [:]
  package internal(set) var scannedRecordCount: UInt64 = 0
  package internal(set) var scannedByteCount: UInt64 = 0
  /// The entries that came from the stored index.
  package internal(set) var storedCount: UInt64 = 0
  /// Whether the index leads to records that were cleared.
  package internal(set) var hasDead = false

  /// Records that the index points to, expired ones among them, tombstones not.
  package struct Live: Hashable, Sendable {
    package internal(set) var recordCount: UInt32 = 0
    /// Their whole bytes in the segment, padding included.
    package internal(set) var byteCount: UInt64 = 0

    package init(recordCount: UInt32 = 0, byteCount: UInt64 = 0) {
      self.recordCount = recordCount
      self.byteCount = byteCount
    }
  }

  package struct Keys: Hashable, Sendable {
    package internal(set) var count: UInt64 = 0
    /// How many of them expire some day.
    package internal(set) var expiringCount: UInt64 = 0
    /// The slots of the extents of their values.
    package internal(set) var extentSlotCount: UInt64 = 0
  }
}
