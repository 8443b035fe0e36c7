package import BenchmarkHarness

/// Something that is done to a store and measured, in the order of a store's life.
package enum Workload: Hashable, Sendable {
  /// All keys into a new store, in batches.
  case loadBatched

  /// Keys into a new store, each set complete when it returns.
  case load

  /// The same, until the store has nothing left to do.
  case loadSettled

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

  /// Writes keys again one by one, in the steady state that this leads to.
  case overwrite

  /// The same with a sync each second.
  case overwriteSynced

  /// What overwriting gave the system to write.
  case written

  /// What overwriting made the system write to the device.
  case deviceWritten

  /// What the files took at most while keys were overwritten.
  case spacePeak

  /// What they take at the end of that.
  case spaceSteady

  /// What they take once half of the keys were removed and the store had time.
  case spaceHalf

  /// Writes some keys again one by one right after a sync.
  case set

  /// The same in each of two threads.
  case setInTwoThreads

  /// Reads and writes.
  case mixed(MixedLoad)

  /// What one step of a hundred, thousand and so on exceeds in half reads, half sets that are due so many a second.
  case latency(rate: Int, oneOf: Int)

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

  /// Names it for machines.
  package var identifier: String {
    switch self {
    case .loadBatched: "load-batches"
    case .load: "load"
    case .loadSettled: "load-settled"
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
    case .deviceWritten: "device-written"
    case .spacePeak: "space-peak"
    case .spaceSteady: "space-steady"
    case .spaceHalf: "space-half"
    case .set: "set"
    case .setInTwoThreads: "set-two-threads"
    case .mixed(.even): "mixed"
    case .mixed(let load): "ycsb-\(load.rawValue.lowercased())"
    case .latency(let rate, let number): "latency-\(rate)-\(number)"
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
    case .loadSettled: "Load, one by one, until nothing is left to do"
    case .fill: "Load, in batches if there are any"
    case .size: "Disk after loading, a byte of keys and values"
    case .retrieve: "Retrieve into a reused buffer"
    case .inPlace: "Retrieve in place"
    case .batched: "Retrieve in place, \(countText(keysInACall)) keys a call"
    case .missing: "Retrieve what is missing"
    case .twoThreads: "Retrieve, two threads"
    case .overwriteBatched: "Overwrite, \(countText(keysInALoad)) keys a batch, steady state"
    case .overwrite: "Overwrite, one by one, steady state"
    case .overwriteSynced: "Overwrite, one by one, a sync each second"
    case .written: "Given to the system to write, a byte overwritten"
    case .deviceWritten: "Written to the device, a byte overwritten"
    case .spacePeak: "Disk while overwriting, at most, a byte of keys and values"
    case .spaceSteady: "Disk after overwriting, a byte of keys and values"
    case .spaceHalf: "Disk after half was removed, a byte of keys and values"
    case .set: "Set, one by one, a burst right after a sync"
    case .setInTwoThreads: "Set, two threads, steady state"
    case .mixed(.even): "Half retrieve, half set, steady state"
    case .mixed(let load): "YCSB \(load.rawValue)"
    case .latency(let rate, let number):
      "\(countText(rate)) steps a second: one of \(countText(number)) ends later than"
    case .iterate: "Go through all"
    case .remove: "Remove"
    case .compactedSize: "Disk after compacting, a byte of keys and values"
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
    case .loadBatched:
      "All keys in random order into new stores, for a second at least; trees get each batch sorted."
    case .load:
      "All keys in random order into new stores, a call and a transaction each, for a second at least."
    case .loadSettled:
      "These loads, and the store's own calls that end what it has left for later."
    case .fill: "All keys in random order into a new store, in batches or transactions if it has them."
    case .size: "Blocks that the folder has of the disk after loading, by the bytes of keys and values."
    case .retrieve, .inPlace, .batched, .twoThreads:
      "Keys that are there, in random order, after a load one by one and the store's own calls that end what it has left"
        + " for later; each value is known by its first 8 bytes."
    case .missing: "Keys that were never stored."
    case .overwriteBatched: "\(Workload.drawn), in batches; trees get each sorted. \(Workload.steady)"
    case .overwrite: "\(Workload.drawn), a call and a transaction each. \(Workload.steady)"
    case .overwriteSynced:
      "\(Workload.drawn), a call and a transaction each; the loop has the store sync each second. \(Workload.steady)"
    case .written:
      "What the process gave the system to write while it overwrote, until that was on the disk, by the bytes that were set."
    case .deviceWritten:
      "What the device says that was written to it while keys were overwritten, until all was on the disk, by the bytes"
        + " that were set. Other programs are counted, too."
    case .spacePeak:
      "Blocks that the folder has of the disk, the most that was seen, by the bytes of keys and values."
    case .spaceSteady: "Blocks that the folder has of the disk when the last key is overwritten."
    case .spaceHalf:
      "After that half of the keys is removed, the store ends what it has left for later by its own calls, and its size"
        + " has to stand still; by the bytes that are left. Nothing is compacted on request."
    case .set:
      "Keys that are there, a call and a transaction each, right after the store has synced: too few for compaction, and"
        + " whoever writes in place meets pages that are clean. Again and again, for a second at least."
    case .setInTwoThreads: "\(Workload.drawn), a call and a transaction each. \(Workload.steady)"
    case .mixed(let load):
      "\(load.meaning); one thread, a call and a transaction each; each value is known by its first 8 bytes. "
        + (load.overwrites
          ? Workload.steady : "For a second at least, or until all keys are there that are to be added.")
    case .latency:
      "Half reads, half overwrites, in a store that was brought to its steady state by as many as there can be. From the"
        + " time at which a step is due to its end, so that a step that waits for others counts that."
    case .iterate: "All keys and values, each known by its first 8 bytes."
    case .remove:
      "Keys that are there, a call and a transaction each, for a second at least; if all were removed, they are set"
        + " again, which is not timed."
    case .compactedSize: "What the folder takes of the disk once it was compacted and closed."
    case .open: "Opening and one retrieve, after a close; up to ten times, for a second at least."
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

  /// How the keys are chosen that are overwritten.
  private static let drawn = "Each key is chosen at random among all"

  /// What steady means.
  private static let steady =
    "For 30 s at least, and until neither speed nor space nor what is left for later moves, two minutes at most; then 4 s"
    + " are timed."

  /// What the figure counts.
  package var quantity: Quantity {
    switch self {
    case .size, .written, .deviceWritten, .spacePeak, .spaceSteady, .spaceHalf, .compactedSize, .memory: .size
    default: .time
    }
  }
}
