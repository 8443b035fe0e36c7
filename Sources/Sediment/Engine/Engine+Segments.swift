internal import SedimentFormat

extension Engine {
  /// All segments in the order of the file; none in a store that is only read, or in a fork's child.
  func segments() -> [SedimentSegment] {
    guard !isForked, let writer else { return [] }
    return writer.withLock { writer in
      writer.catalogue.setTail(writer.tail.entry)
      return SedimentSegment.all(of: writer.catalogue, logEnd: writer.tail.position, slots, writer.permit)
    }
  }
}
