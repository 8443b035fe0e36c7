internal import SedimentFormat
internal import Synchronization

extension Reader {
  /// The record that a key is there by if it is found as most are: the search's first entry leads to it, it is whole, in
  /// mapped memory, holds the value as it was set, and nothing that happens meanwhile asks for a closer look.
  ///
  /// Nil says nothing about the key: `findRecord` then goes on with the same search. In the reader's scope that the
  /// search was begun in.
  // `@inline(__always)` leaves what is as long as this to the compiler.
  @inline(always)
  func recordInPlace(_ key: RawSpan, _ search: KeySearch, _ state: CollectionState) -> RecordView? {
    guard let first = search.first else { return nil }
    let position = first.position &<< 3
    let mappedEnd = volume.mappedByteCount
    guard position < mappedEnd,
      let segment = slots.segment(at: position &>> UInt64(Limits.slotByteCountLog2))
    else { return nil }
    let end = min(segment.readableEnd, mappedEnd)
    guard position < end,
      let view = unsafe RecordView(volume.base + Int(position), available: Int(end &- position)),
      view.holdsValue, view.collection == state.number, view.hasKey(key)
    else { return nil }
    if options.verifiesReads, !view.isIntact(at: position, seed: segment.seed) { return nil }
    // Whoever sees an entry of a batch that is being told to the index sees this, too.
    SchedulePoint.reach(.reading)
    guard publishedBatch.load(ordering: .acquiring) == 0 else { return nil }
    SchedulePoint.reach(.reading)
    guard isVisible(view, in: segment, state) else { return nil }
    if evicts { search.probe.setReference() }
    return view
  }

  /// Whether a key has certainly no record: the search found no entry, and nothing asks for a closer look.
  @inline(__always)
  func isMissing(_ search: KeySearch, _ state: CollectionState) -> Bool {
    search.first == nil && publishedBatch.load(ordering: .acquiring) == 0
      && !state.isDropped.load(ordering: .relaxed)
  }
}
