import CrashModel
import Sediment
import SedimentTesting

/// A store on a simulated disk that is used as a plan says, and watched at rest.
struct IdleRun {
  private static let path = "/data/store.sediment"
  private static let collection = "large"

  private let plan: IdlePlan
  private let disk: SimulatedDisk
  private let scheduler = ManualScheduler()
  private var store: SedimentStore
  private var valueCount = 0
  private var nameCount = 0
  /// The steps that were done.
  private(set) var done: [IdlePlan.Step] = []
  /// How often the store was watched.
  private(set) var restCount = 0

  init(_ plan: IdlePlan, seed: UInt64) throws {
    self.plan = plan
    var options = SimulatedDiskOptions(seed: seed)
    options.keepsHistory = false
    disk = CrashMachine(seed: seed).disk(options)
    store = try Self.open(plan, disk, scheduler)
  }

  private static func open(
    _ plan: IdlePlan, _ disk: SimulatedDisk, _ scheduler: ManualScheduler
  ) throws -> SedimentStore {
    let options = SedimentOptions(
      durability: plan.durability, access: plan.access, capacity: plan.capacity, compression: .off,
      storesIndex: plan.storesIndex)
    return try SedimentStore(path: path, options: options, disk: disk, scheduler: scheduler)
  }

  /// Does all steps; then the store rests, and once more after it was opened again.
  mutating func run() throws {
    try run(plan.steps[...])
    try rest()
    try reopen()
    try rest()
    let findings = store.accountFindings()
    if !findings.isEmpty { throw CrashContradiction(description: "the accounts: \(findings)") }
    try store.close()
  }

  private mutating func run(_ steps: ArraySlice<IdlePlan.Step>, isHeld: Bool = false) throws {
    for number in steps.indices {
      done.append(steps[number])
      switch steps[number] {
      case .rest: try rest(isHeld: isHeld)
      case .stay:
        try store.set("held", forKey: "held")
        // What follows, but for closing, is done while a reader is inside.
        let rest = steps[(number + 1)...].prefix(3).filter { $0 != .reopen && $0 != .stay }
        let store = store
        _ = try store.withValue(forKey: "held") { _ in try run(rest[...] + [.rest], isHeld: true) }
      default: try run(steps[number])
      }
    }
  }

  private mutating func run(_ step: IdlePlan.Step) throws {
    switch step {
    case .create(let count, let nameByteCount):
      for _ in 0..<count {
        nameCount += 1
        let name = String(repeating: "n", count: nameByteCount - 8) + "\(10_000_000 + nameCount)"
        try ifRoom {
          let keys = try store.collection(name)
          if nameCount % 2 == 0 { try keys.set("value", forKey: "key") }
        }
      }
    case .set(let count, let byteCount): try set(count, byteCount: byteCount, .never)
    case .setExpiring(let count, let byteCount): try set(count, byteCount: byteCount, .after(.seconds(1)))
    case .remove:
      for number in 0..<(valueCount / 2) {
        try ifRoom { try store.collection(Self.collection).remove(forKey: "\(number)") }
      }
    case .removeAll: try ifRoom { try store.collection(Self.collection).removeAll() }
    case .dropCollection: try ifRoom { try store.dropCollection(Self.collection) }
    case .removeEverything: try ifRoom { try store.removeEverything() }
    case .compact: try store.compact()
    case .wait(let duration):
      // Work is done when it is due, as on threads.
      try rest()
      disk.advanceClocks(by: duration)
    case .reopen: try reopen()
    case .rest, .stay: break
    }
  }

  private mutating func set(_ count: Int, byteCount: Int, _ expiry: SedimentExpiry) throws {
    if let byteCountMax = plan.byteCountMax, byteCount > byteCountMax / 12 { return }
    for _ in 0..<count {
      valueCount += 1
      let key = valueCount % 2 == 0 ? valueCount : valueCount / 2
      try ifRoom {
        let value = [UInt8](repeating: UInt8(truncatingIfNeeded: valueCount), count: byteCount)
        try store.collection(Self.collection).set(value, forKey: "\(key)", expiry: expiry)
      }
    }
  }

  private func ifRoom(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as SedimentError where error.code == .outOfSpace && plan.byteCountMax != nil {}
  }

  private mutating func reopen() throws {
    try store.close()
    store = try Self.open(plan, disk, scheduler)
  }

  private mutating func rest(isHeld: Bool = false) throws {
    restCount += 1
    try store.expectRest(on: disk, scheduler, isHeld: isHeld)
    let callCount = disk.calls.count
    let hour: UInt64 = 3_600_000_000_000
    // The wall clock stays, since what expires is the plan's.
    let jobCount = scheduler.advance(by: hour)
    guard jobCount == 0, disk.calls.count == callCount else {
      throw CrashContradiction(description: "\(jobCount) jobs within an hour of rest")
    }
  }
}
