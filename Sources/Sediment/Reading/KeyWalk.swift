internal import SedimentFormat

/// A walk through the keys of a collection, some at a time, with the promises of `SedimentKeyspace.forEach`.
package struct KeyWalk {
  private let reader: Reader
  private let state: CollectionState
  private var walk: RecordWalk

  /// Begins a walk.
  package init(_ keys: SedimentCollection) throws(SedimentError) {
    reader = keys.store.reader
    state = keys.state
    walk = try reader.beginWalk(state)
  }

  /// Calls a closure with the next keys that begin with a prefix, which may be none, and another one with the error of
  /// each damaged record among them; false at the end.
  package mutating func next(
    withPrefix prefix: [UInt8], damage: (SedimentError) -> Void, _ body: (RawSpan) -> Void
  ) throws(SedimentError) -> Bool {
    do {
      return try reader.visitNext(&walk, state, damage: damage) { found in
        if unsafe found.view.hasPrefix(prefix.span.bytes) {
          body(unsafe RawSpan(_unsafeBytes: found.view.key))
        }
        return true
      }
    } catch {
      throw error as! SedimentError
    }
  }
}
