/// A disk at one moment of its history, at which the process may die or the power may fail.
///
/// From it come the images: disks that hold what such a crash leaves, for a recovery to run on and to be
/// crashed in turn.
public struct CrashState: Sendable {
  /// The position in the history: how many events came before.
  public let point: Int
  /// All that is unsynced at this moment; a choice has one version for each of them.
  public let units: [PendingUnit]
  let medium: Medium
  private let setup: ImageSetup
  /// Where the units of each file are; they stand together.
  private let unitRanges: [Int: Range<Int>]

  init(point: Int, medium: Medium, setup: ImageSetup) {
    self.point = point
    self.medium = medium
    self.setup = setup
    units = medium.pendingUnits()
    var ranges: [Int: Range<Int>] = [:]
    for index in 0..<units.count - medium.nameChanges.count {
      let file = units[index].file
      ranges[file] = (ranges[file]?.lowerBound ?? index)..<index + 1
    }
    unitRanges = ranges
  }

  /// The choice that a plan comes to in this state.
  public func choice(for plan: CrashPlan) -> CrashChoice {
    switch plan {
    case .nothing:
      return CrashChoice(versions: units.map { _ in 0 })
    case .everything:
      return CrashChoice(versions: units.map(\.moments.count))
    case .random(let seed):
      var generator = SeededGenerator(seed: seed)
      return CrashChoice(versions: units.map { Int.random(in: 0...$0.moments.count, using: &generator) })
    case .choice(let choice):
      return choice
    }
  }

  /// The disk that a power failure leaves, with everything on it durable.
  public func afterPowerLoss(_ plan: CrashPlan) -> SimulatedDisk {
    afterPowerLoss(choice(for: plan))
  }

  /// The disk that a power failure leaves, with everything on it durable.
  ///
  /// The choice must fit this state's units.
  public func afterPowerLoss(_ choice: CrashChoice) -> SimulatedDisk {
    precondition(choice.versions.count == units.count, "a choice names a version for each unit")
    for (unit, version) in zip(units, choice.versions) {
      precondition((0...unit.moments.count).contains(version), "the unit has no such version")
    }
    let nameStart = units.count - medium.nameChanges.count
    var image = Medium()
    image.names = medium.names { choice.versions[nameStart + $0] > 0 }
    for (path, number) in image.names {
      guard var file = medium.files[number] else { continue }
      file.path = path
      file.settle(fileChoice(number, choice))
      file.stranded = BlockSet()
      image.files[number] = file
    }
    return SimulatedDisk(medium: image, setup: setup.rebooted(at: point))
  }

  /// The disk after the process died and the machine went on: all that was written is there for the next
  /// process, but not durable yet, and all locks are released.
  public func afterProcessDeath() -> SimulatedDisk {
    SimulatedDisk(medium: medium, setup: setup.restarted(at: point))
  }

  private func fileChoice(_ number: Int, _ choice: CrashChoice) -> FileChoice {
    var result = FileChoice(sizeCount: 0, allocations: [], holes: [], sectors: [])
    for index in unitRanges[number] ?? 0..<0 {
      let version = choice.versions[index]
      switch units[index].kind {
      case .byteCount:
        result.sizeCount = version
      case .allocation:
        result.allocations.append(version > 0)
      case .hole:
        result.holes.append(version > 0)
      case .sector(let sector):
        result.sectors.append(
          FileChoice.Sector(number: sector, version: version, tear: choice.tears[index]))
      case .name:
        break
      }
    }
    return result
  }
}

/// What an image takes over from the disk that crashed, besides the medium.
struct ImageSetup: Sendable {
  var options: SimulatedDiskOptions
  var clock: SimulatedClock

  /// For a machine that starts anew: wall time goes on, monotonic time begins again.
  func rebooted(at point: Int) -> ImageSetup {
    var setup = restarted(at: point)
    setup.clock.monotonicNanoseconds = SimulatedClock.start
    return setup
  }

  /// For a new process, whose random numbers are not those of the old one.
  func restarted(at point: Int) -> ImageSetup {
    var setup = self
    setup.options.seed = SeededGenerator.derive(options.seed, point)
    return setup
  }
}
