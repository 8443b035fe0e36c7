/// What one store goes through from its making to its end: workloads that do not disturb each other.
///
/// Whatever changes a store has a life of its own: what one operation leaves behind, a list of free pages or levels that
/// are to be compacted, would be paid by the next. Reading changes nothing, so all ways of reading share a life.
package struct Life: Sendable {
  /// In their order.
  package var workloads: [Workload]

  /// From how many threads the store is called.
  package var threadCount = 1

  /// Whether all threads of the process share one processor.
  package var isOnOneProcessor = false

  /// Whether a round takes minutes, so that there are fewer of them.
  package var isSlow = false

  package init(
    _ workloads: [Workload], threadCount: Int = 1, isOnOneProcessor: Bool = false, isSlow: Bool = false
  ) {
    self.workloads = workloads
    self.threadCount = threadCount
    self.isOnOneProcessor = isOnOneProcessor
    self.isSlow = isSlow
  }

  /// What the names of its rows begin with, for machines.
  package var prefix: String { isOnOneProcessor ? "one-processor-" : "" }

  /// What stands behind the titles of its rows.
  package var suffix: String { isOnOneProcessor ? ", on one processor" : "" }

  /// Loads and reads in all ways, and what is short.
  package static let reading = Life([
    .load, .loadSettled, .size, .iterate, .retrieve, .inPlace, .batched, .missing, .open,
  ])

  /// All keys set in batches, then overwritten in batches.
  package static let batches = Life([.loadBatched, .overwriteBatched], isSlow: true)

  /// Overwriting, and what it takes of the disk.
  package static let overwriting = Life([
    .overwrite, .written, .deviceWritten, .spacePeak, .spaceSteady, .spaceHalf,
  ])

  /// Two threads at once.
  package static let threads = Life([.twoThreads, .setInTwoThreads], threadCount: 2, isSlow: true)

  /// What is done with one store after another.
  package static let short = [reading, batches, Life([.set]), Life([.remove])]

  /// Writing for as long as it takes to reach a steady state.
  package static let steady = [overwriting, Life([.mixed(.even)]), Life([.overwriteSynced], isSlow: true)]

  /// The same by one processor.
  package static let onOneProcessor = [.load, .overwrite, .mixed(.even)].map { workload in
    Life([workload], isOnOneProcessor: true)
  }

  /// How late steps end that come at so many a second.
  package static func latency(rate: Int) -> Life {
    Life([2, 100, 1000, 10_000].map { .latency(rate: rate, oneOf: $0) }, isSlow: true)
  }

  /// What is asked of any store.
  package static let ofAnyStore = short + steady + [threads]
}
