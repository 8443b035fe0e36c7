internal import SedimentDisk
internal import SedimentFormat
internal import Synchronization

// How the slots of large values come back.

extension Engine {
  /// Frees segments by one change of the catalogue, and lets their slots come back once it is on the disk.
  ///
  /// The index leads nowhere into them.
  func free(_ identities: [SegmentIdentity], _ writer: inout LogWriter) throws(SedimentError) {
    let entries = identities.map { CatalogueEntry.freed(slot: $0.run.first, generation: $0.generation) }
    let sequence = try change(entries, for: .goingOn, &writer)
    let tag = Readers.advance()
    for identity in identities {
      writer.release(identity.run, identity.generation, freedBy: sequence, tag: tag)
    }
  }

  /// At most so many segments are freed by one change, which then fits into the record of one slot.
  static var freedCountMax: Int { 900 }

  /// Frees the extents of values that were replaced or removed; whether there were any.
  func freeDeadExtents(_ writer: inout LogWriter) throws(SedimentError) -> Bool {
    let dead = writer.orderedDeadExtents
    var rest = dead[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(Self.freedCountMax))
      rest = rest.dropFirst(part.count)
      try free(part, &writer)
      writer.noteFreed(extents: part)
    }
    return !dead.isEmpty
  }
}
