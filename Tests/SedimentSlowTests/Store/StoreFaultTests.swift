import Sediment
import SedimentDisk
import SedimentSupport
import SedimentTesting
import Synchronization
import Testing

/// Random operations with one fault each, held against a model.
@Suite struct StoreFaultTests {
  typealias Model = [String: [UInt8]]

  struct Run {
    var generator: SeededGenerator
    var model: Model = [:]
    /// Keys whose last change failed with an unknown outcome.
    var unknown: [String: [[UInt8]?]] = [:]
  }

  static func value(_ generator: inout SeededGenerator) -> [UInt8] {
    let kind = Int.random(in: 0..<20, using: &generator)
    let count =
      kind == 0
      ? Int.random(in: 131_000..<400_000, using: &generator)
      : kind < 4
        ? Int.random(in: 3000..<40_000, using: &generator) : Int.random(in: 0..<300, using: &generator)
    let byte = UInt8.random(in: 0...255, using: &generator)
    return [UInt8](repeating: byte, count: count)
  }

  static func expectSame(_ store: SedimentStore, _ run: Run, _ seed: UInt64, _ place: String) throws {
    var found: Model = [:]
    try store.forEach { key, value in
      found[String(sedimentBytes: key)!] = [UInt8](sedimentBytes: value)
      return .continue
    }
    var expected = run.model
    for (key, choices) in run.unknown {
      let has = found[key]
      if !choices.contains(where: { $0 == has }) {
        Issue.record("seed \(seed) \(place): key \(key) is neither before nor after")
      }
      found[key] = nil
      expected[key] = nil
    }
    for key in Set(found.keys).union(expected.keys) where found[key] != expected[key] {
      Issue.record(
        "seed \(seed) \(place): \(key) has \(found[key]?.count ?? -1), not \(expected[key]?.count ?? -1)")
      break
    }
    for (key, value) in expected {
      let one = try store.retrieve(forKey: key)
      if one != value { Issue.record("seed \(seed) \(place): retrieve \(key)"); break }
    }
    let count = try store.count()
    if run.unknown.isEmpty, count != expected.count {
      Issue.record("seed \(seed) \(place): count \(count), not \(expected.count)")
    }
  }

  @Test(arguments: [SedimentOptions.Access.automatic, .windowless, .unmapped])
  func `Random histories with full disks and failed calls lose nothing`(access: SedimentOptions.Access) throws
  {
    for seed in 1...UInt64(TestEffort.of(10, long: 150)) {
      try one(seed, access)
    }
  }

  func one(_ seed: UInt64, _ access: SedimentOptions.Access) throws {
    var run = Run(generator: SeededGenerator(seed: seed))
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: seed, violationRule: .record))
    let scheduler = ManualScheduler()
    let options = SedimentOptions(durability: .unsynced, access: access)
    var store = try SedimentStore(path: "/store", options: options, disk: disk, scheduler: scheduler)
    var failure: SedimentError?
    var hasFault = false
    for step in 0..<120 {
      if step % 10 == 9 {
        hasFault.toggle()
        disk.clearFaults()
        disk.capacity = nil
        if hasFault {
          switch Int.random(in: 0..<4, using: &run.generator) {
          case 0: disk.capacity = disk.usedByteCount
          case 1: disk.inject(.error(.noSpace), only: [.allocate])
          case 2: disk.inject(.error(.noMemory), only: [.map])
          default: disk.inject(.error(.inputOutput), only: [.read])
          }
        }
      }
      let key = "\(Int.random(in: 0..<30, using: &run.generator))"
      let before = run.model
      var after = before
      do {
        switch Int.random(in: 0..<16, using: &run.generator) {
        case 0..<7:
          let value = Self.value(&run.generator)
          after[key] = value
          try store.set(
            value, forKey: key, durability: Bool.random(using: &run.generator) ? .synced : .unsynced)
        case 7..<10:
          after[key] = nil
          let had = try store.remove(forKey: key)
          if had != (before[key] != nil) { Issue.record("seed \(seed) step \(step): remove said \(had)") }
        case 10..<13:
          let changes = (0..<Int.random(in: 1..<6, using: &run.generator)).map { _ in
            (
              "\(Int.random(in: 0..<30, using: &run.generator))",
              Bool.random(using: &run.generator) ? Self.value(&run.generator) : nil
            )
          }
          for (key, value) in changes { after[key] = value }
          try store.batch { batch in
            for (key, value) in changes {
              if let value { batch.set(value, forKey: key) } else { batch.remove(forKey: key) }
            }
          }
        case 13: try store.checkpoint()
        case 14:
          after = [:]
          if Int.random(in: 0..<4, using: &run.generator) == 0 {
            try store.removeEverything()
          } else {
            after = before
            try store.sync()
          }
        default: scheduler.runDue()
        }
        run.model = after
        failure = nil
      } catch let error as SedimentError {
        failure = error
        if error.code != .outOfSpace && error.code != .inputOutput {
          Issue.record("seed \(seed) step \(step): \(error)")
          return
        }
      }
      disk.clearFaults()
      if let violation = disk.violations.first {
        Issue.record("seed \(seed) step \(step) after \(String(describing: failure)): \(violation)")
        return
      }
      if step % 5 == 4 {
        try Self.expectSame(store, run, seed, "step \(step) after \(String(describing: failure))")
      }
      if step % 40 == 39 {
        disk.capacity = nil
        try store.close()
        store = try SedimentStore(path: "/store", options: options, disk: disk, scheduler: scheduler)
        try Self.expectSame(store, run, seed, "reopened at \(step)")
      }
    }
    try store.close()
  }

  @Test(arguments: [SedimentOptions.Access.automatic, .windowless, .unmapped])
  func `Random histories with failed writes and syncs end in a poisoned store`(access: SedimentOptions.Access)
    throws
  {
    for seed in 1...UInt64(TestEffort.of(15, long: 250)) { try poisoned(seed, access) }
  }

  func poisoned(_ seed: UInt64, _ access: SedimentOptions.Access) throws {
    var run = Run(generator: SeededGenerator(seed: seed))
    let disk = SimulatedDisk(SimulatedDiskOptions(seed: seed, violationRule: .record))
    let scheduler = ManualScheduler()
    let options = SedimentOptions(durability: .interval(.milliseconds(1)), access: access)
    for round in 0..<4 {
      let store = try SedimentStore(path: "/store", options: options, disk: disk, scheduler: scheduler)
      try Self.expectSame(store, run, seed, "opened \(round)")
      for key in run.unknown.keys { run.model[key] = try store.retrieve(forKey: key) }
      run.unknown = [:]
      let faultStep = Int.random(in: 0..<40, using: &run.generator)
      var isPoisoned = false
      for step in 0..<40 {
        if step == faultStep {
          switch Int.random(in: 0..<4, using: &run.generator) {
          case 0: disk.inject(.error(.inputOutput), only: [.write])
          case 1: disk.inject(.shortWrite(byteCount: 20, .inputOutput), only: [.write])
          case 2: disk.inject(.droppedSync(.inputOutput), only: [.sync])
          default: disk.inject(.errorAfterwards(.inputOutput), only: [.write, .sync])
          }
        }
        let key = "\(Int.random(in: 0..<30, using: &run.generator))"
        var after = run.model
        let before = run.model
        do {
          switch Int.random(in: 0..<16, using: &run.generator) {
          case 0..<7:
            let value = Self.value(&run.generator)
            after[key] = value
            try store.set(
              value, forKey: key, durability: Bool.random(using: &run.generator) ? .synced : .unsynced)
          case 7..<10:
            after[key] = nil
            _ = try store.remove(forKey: key, durability: .synced)
          case 10..<13:
            let changes = (0..<Int.random(in: 1..<6, using: &run.generator)).map { _ in
              (
                "\(Int.random(in: 0..<30, using: &run.generator))",
                Bool.random(using: &run.generator) ? Self.value(&run.generator) : nil
              )
            }
            for (key, value) in changes { after[key] = value }
            try store.batch(durability: Bool.random(using: &run.generator) ? .synced : .unsynced) { batch in
              for (key, value) in changes {
                if let value { batch.set(value, forKey: key) } else { batch.remove(forKey: key) }
              }
            }
          case 13: try store.checkpoint()
          case 14: try store.sync()
          default: scheduler.advance(by: 2_000_000)
          }
          run.model = after
        } catch let error as SedimentError {
          if isPoisoned || error.code == .outcomeUnknown {
            if error.code != .outcomeUnknown {
              Issue.record("seed \(seed) round \(round) step \(step): poisoned, but \(error)")
            }
          } else {
            // A large value's extents: told, and nothing else.
            if error.code != .inputOutput { Issue.record("seed \(seed): \(error)") }
          }
          if !isPoisoned {
            for key in Set(before.keys).union(after.keys) where before[key] != after[key] {
              run.unknown[key] = [before[key], after[key]]
            }
          }
          if error.code == .outcomeUnknown { isPoisoned = true }
          try Self.expectSame(store, run, seed, "round \(round) step \(step) after \(error)")
          if !isPoisoned {
            for key in run.unknown.keys { run.model[key] = try store.retrieve(forKey: key) }
            run.unknown = [:]
          }
        }
      }
      disk.clearFaults()
      do { try store.close() } catch {}
      if let violation = disk.violations.first {
        Issue.record("seed \(seed) \(violation)")
        return
      }
    }
  }

  /// Files larger than what there are addresses for.
  @Test(arguments: [6, 9, 14])
  func `Random histories of a file that outgrows its mapping lose nothing`(slotCount: UInt64) throws {
    for seed in 1...UInt64(TestEffort.of(12, long: 120)) {
      var run = Run(generator: SeededGenerator(seed: seed))
      let disk = StoppingDisk(
        SimulatedDisk(SimulatedDiskOptions(seed: seed, fileByteCountMax: 256 << 20, violationRule: .record)))
      disk.mappedByteCountMax.store(slotCount << 14, ordering: .relaxed)
      var options = SedimentOptions(durability: .unsynced)
      if seed.isMultiple(of: 2) { options.useSmallWindow() }
      let scheduler = ManualScheduler()
      for round in 0..<3 {
        let store = try SedimentStore(path: "/store", options: options, disk: disk, scheduler: scheduler)
        try Self.expectSame(store, run, seed, "opened \(round)")
        for step in 0..<60 {
          let key = "\(Int.random(in: 0..<30, using: &run.generator))"
          // What lies behind the mapping takes a call, which may fail: nothing is changed then.
          let mayFail = Int.random(in: 0..<4, using: &run.generator) == 0
          var model = run.model
          if mayFail { disk.inner.inject(.error(.inputOutput), only: [.read]) }
          do {
            switch Int.random(in: 0..<10, using: &run.generator) {
            case 0..<6:
              let value = Self.value(&run.generator)
              model[key] = value
              try store.set(value, forKey: key)
            case 6:
              model[key] = nil
              try store.remove(forKey: key)
            case 7, 8:
              let changes = (0..<4).map { _ in
                (
                  "\(Int.random(in: 0..<30, using: &run.generator))",
                  Bool.random(using: &run.generator) ? Self.value(&run.generator) : nil
                )
              }
              for (key, value) in changes { model[key] = value }
              try store.batch { batch in
                for (key, value) in changes {
                  if let value { batch.set(value, forKey: key) } else { batch.remove(forKey: key) }
                }
              }
            default:
              disk.inner.clearFaults()
              scheduler.runDue()
            }
            run.model = model
          } catch  where mayFail && (error as? SedimentError)?.systemError?.code == .inputOutput {}
          disk.inner.clearFaults()
          #expect(store.accountFindings(isAlone: false) == [], "seed \(seed) round \(round) step \(step)")
          if step % 4 == 0 { try Self.expectSame(store, run, seed, "round \(round) step \(step)") }
        }
        try store.close()
        if let violation = disk.inner.violations.first {
          Issue.record("seed \(seed) \(violation)")
          return
        }
      }
    }
  }
}
