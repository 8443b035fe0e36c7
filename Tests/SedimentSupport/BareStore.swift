package import Sediment
package import SedimentTesting

/// A store on a simulated disk without anything around it.
package enum BareStore {
  package static let path = "/store"

  package static func disk(rule: ViolationRule = .record) -> SimulatedDisk {
    SimulatedDisk(SimulatedDiskOptions(seed: 1, violationRule: rule))
  }

  package static func open(
    _ disk: SimulatedDisk, _ options: SedimentOptions = SedimentOptions(durability: .unsynced),
    _ scheduler: ManualScheduler = ManualScheduler()
  ) throws -> SedimentStore {
    try SedimentStore(path: path, options: options, disk: disk, scheduler: scheduler)
  }
}
