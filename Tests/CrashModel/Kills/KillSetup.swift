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

  /// A moment at something that a process does to a file, by its kind and how much of that kind comes before it.
  package struct Stop: Sendable {
    package var kind: Kind
    package var count: Int
    package var moment: Moment

    package enum Kind: Hashable, Sendable {
      case call(DiskOperation)
      /// Bytes are copied to a mapped address.
      case store

      /// Whether a part of it may be done.
      package var hasParts: Bool { self == .call(.write) || self == .store }
    }

    package enum Moment: String, Sendable, CaseIterable {
      case before
      /// Some eighths of the bytes are written or stored; without bytes it is the same as behind.
      case within
      case behind
    }

    package init(_ kind: Kind, _ count: Int, _ moment: Moment) {
      self.kind = kind
      self.count = count
      self.moment = moment
    }

    /// How many of so many bytes are written or stored by then.
    package func byteCount(of byteCount: Int) -> Int {
      moment == .within ? byteCount * (count % 7 + 1) / 8 : byteCount
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
    options.useSmallWindow()
    if seed % 2 == 0 { options.changeByteCountMax = 60 }
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
    [style.rawValue, "\(access)", "\(seed)", stop?.argument ?? Stop.nowhere] + firstNumbers.map(String.init)
  }

  /// Nil for arguments that say something else.
  package init?(_ arguments: ArraySlice<String>) {
    let words = Array(arguments)
    let accesses: [SedimentOptions.Access] = [.automatic, .windowless, .unmapped]
    guard words.count > 4, let style = Style(rawValue: words[0]), let seed = UInt64(words[2]),
      let access = accesses.first(where: { "\($0)" == words[1] })
    else { return nil }
    let numbers = words[4...].compactMap { Int($0) }
    guard numbers.count == words.count - 4 else { return nil }
    self.init(seed: seed, firstNumbers: numbers)
    self.style = style
    self.access = access
    if words[3] == Stop.nowhere { return }
    guard let stop = Stop(words[3]) else { return nil }
    self.stop = stop
  }
}

extension KillSetup.Stop {
  fileprivate static let nowhere = "nowhere"
  private static let store = "store"

  fileprivate var argument: String {
    let kind = if case .call(let operation) = kind { operation.rawValue } else { Self.store }
    return "\(kind):\(count):\(moment.rawValue)"
  }

  /// Nil for an argument that says something else.
  fileprivate init?(_ argument: String) {
    let parts = argument.split(separator: ":").map(String.init)
    guard parts.count == 3, let count = Int(parts[1]), let moment = Moment(rawValue: parts[2]) else {
      return nil
    }
    if parts[0] == Self.store {
      self.init(.store, count, moment)
    } else {
      guard let operation = DiskOperation(rawValue: parts[0]) else { return nil }
      self.init(.call(operation), count, moment)
    }
  }
}
