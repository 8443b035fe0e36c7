import Synchronization

/// Whether something is so, for several threads.
final class Flag: Sendable {
  private let value = Atomic<Bool>(false)

  var isSet: Bool {
    get { value.load(ordering: .sequentiallyConsistent) }
    set { value.store(newValue, ordering: .sequentiallyConsistent) }
  }
}
