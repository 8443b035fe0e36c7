internal import SedimentFormat

// Who still reads slots that the log may let go of.

extension LogWriter {
  /// Keeps the slots of segments as they are, headers included, even if they are freed, until they are unpinned as
  /// often.
  ///
  /// Under the writer's lock.
  func pin(_ generations: some Sequence<Generation>) {
    for generation in generations { pinned[generation, default: 0] += 1 }
  }

  /// Takes a pin back from each of the segments.
  ///
  /// Under the writer's lock.
  func unpin(_ generations: some Sequence<Generation>) {
    for generation in generations {
      guard let count = pinned[generation] else { continue }
      pinned[generation] = count > 1 ? count - 1 : nil
    }
  }
}
