import Sediment

// Readers that stay: closures with bytes in place, within which everything else is done.

extension ModelRun {
  /// So many closures are inside one another at most.
  private static let stayDepthMax = 3

  /// Reads in place, does other things meanwhile, and compares what was read at the end.
  mutating func stay() throws {
    guard stayDepth < Self.stayDepthMax else { return }
    let name = choices.name()
    guard let space = try space(name) else { return }
    stayDepth += 1
    defer { stayDepth -= 1 }
    do {
      try stay(in: space, for: choices.number(below: 24))
    } catch let error as SedimentError where error.code == .closed && opened == nil {
      // It was closed inside; what the call would have read next, it did not.
    } catch let error as SedimentError where error.code == .collectionDropped {
      // The same for a collection that was dropped inside.
    }
    guard opened == nil, stayDepth == 1 else { return }
    try open()
    try expectWholeStore()
  }

  private mutating func stay(in space: SedimentCollection, for stepCount: Int) throws {
    switch choices.number(below: 3) {
    case 0:
      _ = try space.withValue(forKey: choices.key()) { try stay(with: $0, for: stepCount) }
    case 1:
      var isFirst = true
      try space.forEach { _, value in
        if isFirst { try stay(with: value, for: stepCount) }
        isFirst = false
        return .stop
      }
    default:
      var isFirst = true
      try space.withValues(forKeys: (0..<6).map { _ in choices.key() }) { _, value in
        guard let value, isFirst else { return }
        isFirst = false
        try stay(with: value, for: stepCount)
      }
    }
  }

  /// Goes on with other steps until the store is closed; what was read in place stays as it was.
  private mutating func stay(with value: RawSpan, for stepCount: Int) throws {
    let bytes = [UInt8](sedimentBytes: value)
    for _ in 0..<stepCount where opened != nil { try step() }
    try expect([UInt8](sedimentBytes: value) == bytes, "bytes read in place, when their closure ends")
  }
}
