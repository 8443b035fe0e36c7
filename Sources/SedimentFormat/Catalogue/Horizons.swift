/// Up to where the history can no longer be read.
package struct Horizons: Hashable, Sendable {
  /// Records up to this sequence may be missing from the hot log.
  package var feed: SequenceNumber
  /// Removals up to this sequence may be forgotten.
  package var state: SequenceNumber

  package init(feed: SequenceNumber, state: SequenceNumber) {
    self.feed = feed
    self.state = state
  }
}

extension Horizons {
  func encode(into bytes: inout MutableRawSpan, at offset: Int) {
    bytes.store(feed.rawValue, at: offset)
    bytes.store(state.rawValue, at: offset + 8)
  }

  static func decode(_ bytes: RawSpan, at offset: Int) throws(FormatError) -> Horizons {
    guard let feed = SequenceNumber(bytes.integer(at: offset)),
      let state = SequenceNumber(bytes.integer(at: offset + 8))
    else { throw CatalogueEntry.failure(.field(.sequence)) }
    return Horizons(feed: feed, state: state)
  }
}
