/// A named collection of a store: keys of their own, in the same file.
///
/// A handle keeps its store open.
public final class SedimentCollection: SedimentKeyspace, @unchecked Sendable {
  /// The collection's name.
  public let name: String

  init(_ owner: EngineOwner, _ state: CollectionState, name: String) {
    self.name = name
    super.init(owner, state)
  }
}
