package import BenchmarkHarness

/// Something that is done to a store and measured, in the order of a store's life.
package enum Workload: Hashable, Sendable {
  /// All keys into a store of its own, in batches.
  case loadBatched

  /// Keys into a new store, each set complete when it returns.
  case load

  /// All keys into a new store, in batches if there are any, else one by one.
  case fill

  /// What the files take then.
  case size

  /// Reads keys into one buffer.
  case retrieve

  /// Reads them where they lie.
  case inPlace

  /// The same, many a call.
  case batched

  /// Asks for keys that are not there.
  case missing

  /// Reads keys into a buffer in each of two threads.
  case twoThreads

  /// Writes all keys again, in batches.
  case overwriteBatched

  /// Writes keys again one by one, once all of them were overwritten before.
  case overwrite

  /// The same for some seconds, with a sync each second.
  case overwriteSynced

  /// What loading and overwriting gave the system to write.
  case written

  /// Writes some keys again one by one right after a sync.
  case set

  /// The same in each of two threads.
  case setInTwoThreads

  /// Reads and writes.
  case mixed(MixedLoad)

  /// What one step of a hundred, thousand and so on exceeds in half reads, half sets.
  case latency(oneOf: Int)

  /// Goes through all keys.
  case iterate

  /// Removes keys one by one.
  case remove

  /// Ends the store, and makes it as small as it becomes.
  case compactedSize

  /// Opens it again after it was closed.
  case open

  /// What a process of its own takes of memory to load the store and read all of it.
  case memory

  /// Opens the store of a process that was killed.
  case openAfterKill

  /// Reads keys in a process that has a part of the memory that the store would take.
  case limited

  /// Sets that are on the disk when they return, from so many threads.
  case synced(threadCount: Int)

  /// What is asked of any store, in the order of a store's life.
  package static let ofAnyStore: [Workload] = [
    .loadBatched, .load, .size, .iterate, .retrieve, .inPlace, .batched, .missing, .twoThreads,
    .overwriteBatched, .overwrite, .overwriteSynced, .written, .mixed(.even), .latency(oneOf: 2),
    .latency(oneOf: 100), .latency(oneOf: 1000), .latency(oneOf: 10_000), .setInTwoThreads, .set, .remove,
    .open,
  ]

  /// Names it for machines.
  package var identifier: String {
    switch self {
    case .loadBatched: "load-batches"
    case .load: "load"
    case .fill: "fill"
    case .size: "size"
    case .retrieve: "retrieve"
    case .inPlace: "in-place"
    case .batched: "batched"
    case .missing: "missing"
    case .twoThreads: "two-threads"
    case .overwriteBatched: "overwrite-batches"
    case .overwrite: "overwrite"
    case .overwriteSynced: "overwrite-synced"
    case .written: "written"
    case .set: "set"
    case .setInTwoThreads: "set-two-threads"
    case .mixed(.even): "mixed"
    case .mixed(let load): "ycsb-\(load.rawValue.lowercased())"
    case .latency(let number): "latency-\(number)"
    case .iterate: "iterate"
    case .remove: "remove"
    case .compactedSize: "compacted-size"
    case .open: "open"
    case .memory: "memory"
    case .openAfterKill: "open-after-kill"
    case .limited: "limited"
    case .synced(let threadCount): "synced-\(threadCount)"
    }
  }

  /// Names it for people.
  package var title: String {
    switch self {
    case .loadBatched: "Load, \(countText(keysInALoad)) keys a batch"
    case .load: "Load, one by one"
    case .fill: "Load, in batches if there are any"
    case .size: "File, by bytes stored"
    case .retrieve: "Retrieve into a reused buffer"
    case .inPlace: "Retrieve in place"
    case .batched: "Retrieve in place, \(countText(keysInACall)) keys a call"
    case .missing: "Retrieve what is missing"
    case .twoThreads: "Retrieve, two threads"
    case .overwriteBatched: "Overwrite, \(countText(keysInALoad)) keys a batch"
    case .overwrite: "Overwrite, one by one, steady state"
    case .overwriteSynced: "Overwrite, one by one, a sync each second"
    case .written: "Written to load and overwrite, by bytes stored"
    case .set: "Set, one by one, right after a sync"
    case .setInTwoThreads: "Set, two threads, steady state"
    case .mixed(.even): "Half retrieve, half set, steady state"
    case .mixed(let load): "YCSB \(load.rawValue)"
    case .latency(let number): "One step of \(countText(number)) takes longer"
    case .iterate: "Go through all"
    case .remove: "Remove"
    case .compactedSize: "File after compacting, by bytes stored"
    case .open: "Open after a close"
    case .memory: "Memory a key, but for mapped files"
    case .openAfterKill: "Open after the process was killed"
    case .limited: "Retrieve with a third of the memory"
    case .synced(let threadCount): threadCount == 1 ? "Synced set" : "Synced sets, \(threadCount) threads"
    }
  }

  /// How it was done, for the report.
  package var method: String {
    switch self {
    case .loadBatched: "All keys in random order into a store of its own, which is removed."
    case .load:
      "Keys in random order into a new store, a call and a transaction each, until all are there or for 4 seconds; the"
        + " rest is set in batches and not timed."
    case .fill: "All keys in random order into a new store, in batches or transactions if it has them."
    case .size: "What the folder takes of the disk after loading, by the bytes of keys and values."
    case .retrieve, .inPlace, .batched, .twoThreads:
      "Keys that are there, in random order, after a load and a sync; each value is known by its first 8 bytes."
    case .missing: "Keys that were never stored."
    case .overwriteBatched: "All keys in another random order; some are read and verified afterwards."
    case .overwrite:
      "All keys were overwritten before. Keys in another random order, a call and a transaction each, until all are"
        + " overwritten or for 4 seconds; the rest is set in batches and not timed."
    case .overwriteSynced:
      "The same for 4 seconds, all keys again and again; whoever runs the loop makes the store sync each second."
    case .written:
      "What the process gave the system to write while it loaded and overwrote, by the bytes of keys and values that it set."
    case .set:
      "Keys that are there, a call and a transaction each, right after the store has synced: too few for compaction, and"
        + " whoever writes in place meets pages that are clean."
    case .setInTwoThreads: "Keys that are there, a call and a transaction each, after all were overwritten."
    case .mixed(let load):
      "\(load.meaning); one thread, a call and a transaction each; each value is known by its first 8 bytes."
    case .latency: "Half retrieve, half set, each step timed by itself."
    case .iterate: "All keys and values, each known by its first 8 bytes."
    case .remove: "Keys that are there, a call and a transaction each."
    case .compactedSize: "What the folder takes of the disk once it was compacted and closed."
    case .open: "Opening and one retrieve, after a close."
    case .memory:
      "A process loads the store one by one, in batches what is left after 4 seconds, and reads all of it; the peak of"
        + " its memory that belongs to no file, less what it had before."
    case .openAfterKill: "Opening and one retrieve, after the process that loaded the store was killed."
    case .limited:
      "A process whose memory, files' pages included, is limited to a third of what is stored reads random keys, after"
        + " as many that are not timed; for some seconds at most."
    case .synced(let threadCount):
      threadCount == 1
        ? "Each set is on the disk when it returns."
        : "The same from \(threadCount) threads: elapsed by all sets."
    }
  }

  /// What the figure counts.
  package var quantity: Quantity {
    switch self {
    case .size, .written, .compactedSize, .memory: .size
    default: .time
    }
  }

  /// In how many rounds it is measured at most; nil for all of them.
  package var roundCountMax: Int? {
    switch self {
    case .memory, .openAfterKill, .limited: 2
    default: nil
    }
  }
}
