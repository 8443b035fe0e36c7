internal import CSedimentInterface
internal import Synchronization

/// A state that one call uses at a time; another one meanwhile is refused instead of waiting.
@safe
struct Exclusive<State: ~Copyable>: ~Copyable {
  private let isUsed = Atomic<Bool>(false)
  private let state: UnsafeMutablePointer<State>

  init(_ state: consuming State) {
    unsafe self.state = .allocate(capacity: 1)
    unsafe self.state.initialize(to: state)
  }

  deinit {
    unsafe state.deinitialize(count: 1)
    unsafe state.deallocate()
  }

  /// Lends the state to a closure; throws, by its name, if another call has it.
  @inline(__always)
  borrowing func use<Result>(_ name: StaticString, _ body: (inout State) throws -> Result) throws -> Result {
    guard isUsed.compareExchange(expected: false, desired: true, ordering: .acquiring).exchanged else {
      throw Refusal(
        status: SEDIMENT_BUSY, message: "Another call uses \(name). Let one thread use it at a time.")
    }
    defer { isUsed.store(false, ordering: .releasing) }
    return unsafe try body(&state.pointee)
  }
}
