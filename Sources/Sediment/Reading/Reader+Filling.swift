internal import SedimentFormat

// The rest of an index that was opened by its stored parts (DESIGN.md 7, step 8).

extension Reader {
  /// Whether the index has all that it is to have.
  var isIndexComplete: Bool { filling?.isOver ?? true }

  /// Returns once the index has all that it is to have, and makes it so: for whoever is about to change something, or goes
  /// through all entries.
  ///
  /// With none of the locks from the head's on.
  @inline(never)
  func completeIndex() throws(SedimentError) {
    guard let filling, !filling.isOver else { return }
    // In a reader's scope, since a close lets go of the file once nobody reads from it.
    try enterReading()
    defer { Readers.leave() }
    do throws(SedimentError) {
      if try !filling.complete(while: { lifetime.isUsable }) { throw lifetime.whyUnusable }
    } catch {
      throw lifetime.seenByCaller(error)
    }
  }

  /// The record of a key whose part of the index was not there when it was searched for.
  ///
  /// In a reader's scope.
  @inline(never)
  func findFilling(_ key: RawSpan, _ state: CollectionState) throws(SedimentError) -> FoundRecord? {
    while true {
      // A child may find that somebody in its parent had taken a part, or a lock.
      try lifetime.checkNotForked()
      let view = index.view
      let hash = view.hash(key, collection: state.number)
      guard let filling, view.probe(hash).isUnfilled else {
        return try findRecord(key, hash, in: view, state)
      }
      do throws(SedimentError) {
        try filling.need(hash)
      } catch {
        throw lifetime.seenByCaller(error)
      }
    }
  }
}
