/// A search in the index that has come to the first entry that agrees, if there is one.
struct KeySearch {
  let probe: IndexProbe
  let first: IndexEntry?

  /// Searches for a hash, up to there.
  @inline(__always)
  init(_ hash: UInt64, in view: IndexView) {
    var probe = view.probe(hash)
    first = probe.next()
    self.probe = probe
  }
}
