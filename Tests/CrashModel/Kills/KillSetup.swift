package import Sediment
package import SedimentDisk

/// What a process does until it is killed, as whoever starts it says on the command line.
package struct KillSetup: Sendable {
  package var style = Style.mixed
  package var access = SedimentOptions.Access.automatic
  /// The seed of its first thread's operations; that of each further one is one more.
  package var seed: UInt64
  /// For each thread, the number of its first operation.
  package var firstNumbers: [Int]
  /// Where it kills itself; nil for nowhere.
  package var stop: Stop?

  /// What a store is used for.
  package enum Style: String, CaseIterable, Sendable {
    /// Every kind of operation.
    case mixed
    /// Mostly overwrites, with compaction between.
    case churn
    /// A cache that is full.
    case evicting
  }

  /// A call to the disk, by its kind and how many of that kind come before it.
  package struct Stop: Sendable {
    package var operation: DiskOperation
    package var count: Int
    /// Whether the call is made first.
    package var isBehind: Bool

    package init(_ operation: DiskOperation, _ count: Int, isBehind: Bool) {
      self.operation = operation
      self.count = count
      self.isBehind = isBehind
    }
  }

  package init(seed: UInt64, firstNumbers: [Int]) {
    self.seed = seed
    self.firstNumbers = firstNumbers
  }

  package var options: SedimentOptions {
    var options = SedimentOptions(access: access)
    // Some dead records are enough for the background to move what is live.
    options.slackSlotCount = 3
    if style == .evicting { options.capacity = .evicting(maxBytes: 1 << 20) }
    return options
  }

  /// The operations of a thread; one of several has a collection of its own.
  package func mix(ofThread thread: Int) -> CrashMix {
    var mix = CrashMix(ofThread: firstNumbers.count > 1 ? thread : nil)
    if style == .mixed { return mix }
    mix.byteCountMax = 6000
    mix.compactsOften = true
    if style == .evicting {
      mix.byteCountMax = 60_000
      // A large value may find no room.
      mix.largePerThousand = 0
      mix.isBlind = true
    }
    return mix
  }
}

// MARK: The command line

extension KillSetup {
  package var arguments: [String] {
    let stop = stop.map { "\($0.operation.rawValue):\($0.count):\($0.isBehind)" } ?? "nowhere"
    return [style.rawValue, "\(access)", "\(seed)", stop] + firstNumbers.map(String.init)
  }

  /// Nil for arguments that say something else.
  package init?(_ arguments: ArraySlice<String>) {
    let words = Array(arguments)
    guard words.count > 4, let style = Style(rawValue: words[0]), let seed = UInt64(words[2]) else {
      return nil
    }
    self.init(seed: seed, firstNumbers: words[4...].compactMap { Int($0) })
    self.style = style
    let accesses: [SedimentOptions.Access] = [.automatic, .mappedForReading, .unmapped]
    guard let access = accesses.first(where: { "\($0)" == words[1] }) else { return nil }
    self.access = access
    let stop = words[3].split(separator: ":")
    if stop.count == 3, let operation = DiskOperation(rawValue: "\(stop[0])"), let count = Int(stop[1]) {
      self.stop = Stop(operation, count, isBehind: stop[2] == "true")
    }
  }
}
