/// What a thread of processes that are killed has done, as far as is known.
struct KillProgress {
  private let mix: CrashMix
  private let seed: UInt64
  /// Whether the store leaves out what it likes.
  private let isEvicting: Bool
  /// Its first operation that was not found done.
  private(set) var next = 1
  /// What it left when it was last looked at, other threads' keys left out.
  private(set) var contents = CrashContents()

  init(_ mix: CrashMix, seed: UInt64, isEvicting: Bool) {
    self.mix = mix
    self.seed = seed
    self.isEvicting = isEvicting
  }

  /// Begins with a new store.
  mutating func begin() {
    contents = CrashContents()
  }

  /// Follows the operations up to one, and then to what was found, which no more than one further can explain.
  mutating func follow(upTo last: Int, _ found: CrashContents) -> Bool {
    while next <= last { step() }
    if accepts(found) { return true }
    let operation = mix.operation(number: next, seed: seed)
    for name in operation.collectionsNeeded {
      contents.apply(.create(name), number: next, time: 0)
      if accepts(found) { return true }
    }
    step()
    return accepts(found)
  }

  private func accepts(_ found: CrashContents) -> Bool {
    isEvicting ? found.isPart(of: contents) : found == contents
  }

  private mutating func step() {
    let operation = mix.operation(number: next, seed: seed)
    for name in operation.collectionsNeeded { contents.apply(.create(name), number: next, time: 0) }
    contents.apply(operation, number: next, time: 0)
    next += 1
  }
}
