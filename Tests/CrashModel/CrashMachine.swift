internal import SedimentDisk
package import SedimentTesting

/// A machine that a store has to work on: its pages, and what its file system cannot do or refuses.
package struct CrashMachine: Hashable, Sendable, CustomStringConvertible {
  package var pageByteCount = 4096
  package var allocatesBlocks = true
  package var punchesHoles = true
  package var refusals: Set<Refusal> = []
  /// Whether it is an Apple device: APFS, which copies on write and clones.
  package private(set) var isApple = false

  /// A common one.
  package init() {}

  package init(
    pageByteCount: Int, allocatesBlocks: Bool = true, punchesHoles: Bool = true, refusals: Set<Refusal> = []
  ) {
    self.pageByteCount = pageByteCount
    self.allocatesBlocks = allocatesBlocks
    self.punchesHoles = punchesHoles
    self.refusals = refusals
  }

  /// The machine of a case: every second one is common, every sixth an Apple device, the others are each odd in some ways.
  package init(seed: UInt64) {
    // Not the numbers that the case itself is made of.
    var generator = SeededGenerator(seed: seed ^ 0x6D61_6368_696E_6573)
    func isOne(of count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }
    if isOne(of: 2) { return }
    if isOne(of: 3) {
      self = .apple(punchesHoles: !isOne(of: 2))
      return
    }
    pageByteCount = [4096, 16_384, 65_536, 65_536][Int.random(in: 0..<4, using: &generator)]
    allocatesBlocks = !isOne(of: 4)
    punchesHoles = !isOne(of: 4)
    for refusal in Refusal.allCases where isOne(of: 3) { refusals.insert(refusal) }
  }

  /// An Apple device, on a volume that may refuse holes.
  package static func apple(punchesHoles: Bool) -> CrashMachine {
    var machine = CrashMachine(pageByteCount: 16_384, allocatesBlocks: false, punchesHoles: punchesHoles)
    machine.isApple = true
    return machine
  }

  /// A disk of such a machine.
  package func disk(_ options: SimulatedDiskOptions) -> SimulatedDisk {
    SimulatedDisk(applied(to: options))
  }

  /// Options of a disk with those of the machine instead of their own.
  package func applied(to options: SimulatedDiskOptions) -> SimulatedDiskOptions {
    var options = options
    let byteCount = options.fileByteCountMax
    if isApple { options.traits = SimulatedDiskOptions.appleTraits }
    options.copiesOnWrite = isApple
    options.pageByteCount = pageByteCount
    options.fileByteCountMax = (byteCount + pageByteCount - 1) & -pageByteCount
    options.traits.allocatesBlocks = allocatesBlocks
    options.traits.punchesHoles = punchesHoles
    options.refusals = refusals
    return options
  }

  package var description: String {
    var words = [isApple ? "an Apple device" : "pages of \(pageByteCount / 1024) KiB"]
    if !allocatesBlocks { words.append("no allocation") }
    if !punchesHoles { words.append("no holes") }
    words += Refusal.allCases.filter(refusals.contains).map { "no \($0)" }
    return words.joined(separator: ", ")
  }
}
